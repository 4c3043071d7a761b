// A scheduler of one's own: kube-scheduler with one more plugin.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"example.org/quiet-scheduler/quietnodes"
)

func main() {
	command := app.NewSchedulerCommand(app.WithPlugin(quietnodes.Name, quietnodes.New))
	os.Exit(cli.Run(command))
}
