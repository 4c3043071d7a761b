from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedtui.core.masking import MASK, mask, mask_value


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('-H "Authorization: Bearer abcdef0123456789" x', '-H "Authorization: Bearer ***" x'),
        (r'-H \"Authorization: Bearer abcdef0123456789\" x', r'-H \"Authorization: Bearer ***\" x'),
        ("authorization: Basic dXNlcjpwdw==", "authorization: Basic ***"),
        ('{"Authorization":["Bearer abcdefghijkl"]}', '{"Authorization":["Bearer ***"]}'),
        ("sent bearer abcdefghijkl to x", "sent bearer *** to x"),
        ("[{DB_PASSWORD hunter2-example}]", "[{DB_PASSWORD ***}]"),
        ('password="x y" user="z"', 'password="***" user="z"'),
        ('{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":"***"}'),
        (r'{\"name\":\"API_TOKEN\",\"value\":\"hunter2\"}', r'{\"name\":\"API_TOKEN\",\"value\":\"***\"}'),
        ('{"token":"abc","a":1}', '{"token":"***","a":1}'),
        (r"{\"token\":\"abc\",\"a\":1}", r"{\"token\":\"***\",\"a\":1}"),
        ("token: abc123", "token: ***"),
        ("client-key-data: LS0tLS1", "client-key-data: ***"),
        ("--bearer-token=abc x", "--bearer-token=*** x"),
        ('FLAG: --password="abc"', 'FLAG: --password="***"'),
        ("db.api_key=xyz, next", "db.api_key=***, next"),
        ("https://user:pw@host/x", "https://user:***@host/x"),
        ("x eyJhbGciOi.eyJzdWIi.c2ln y", "x *** y"),
        ("Set-Cookie: session=abc; Path=/", "Set-Cookie: ***"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x",
         "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- x"),
    ],
)  # fmt: skip
def test_secrets_are_replaced(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer <masked>",
        'FLAG: --authentication-token-webhook-cache-ttl="10s"',
        "--token-auth-file=/x/y",
        '--service-account-private-key-file="/etc/x"',
        'pod="default/token-a" node="secret-node"',
        'secret "db-secret" not found',
        'serviceAccountToken={"audience":"x"}',
        "password=null token=true",
        "the key is missing",
        "basic idea",
        "plain text",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize(
    "text", ["password=x", '"token": "x"', "Authorization: Bearer abcdefghij", "DB_TOKEN abcdef"]
)
def test_masking_twice_is_masking_once(text: str) -> None:
    assert mask(mask(text)) == mask(text) != text


def test_values_under_a_secret_key_go_whole() -> None:
    assert mask_value("token", "abc") == MASK
    assert mask_value("pod", "a/b") == "a/b"
    assert mask_value("env", [{"name": "DB_PASSWORD", "value": "x"}, {"name": "A", "value": "y"}]) == [
        {"name": "DB_PASSWORD", "value": MASK},
        {"name": "A", "value": "y"},
    ]
    assert mask_value("config", {"password": "x", "n": 1}) == {"password": MASK, "n": 1}


@given(st.text(max_size=200))
def test_any_text_is_masked_without_raising(text: str) -> None:
    mask(text)
    mask("token=" + text)
