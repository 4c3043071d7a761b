"""Go, dlv, source trees and builds: found, checked, described, run."""
