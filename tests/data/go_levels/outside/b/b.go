package b

import (
	"net/http"

	"k8s.io/klog/v2"
)

type tripper struct{}

func (tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	klog.FromContext(req.Context()).V(1).Info("ambient") // want V1-5
	return nil, nil
}
