"""The verbs, one module each; `cli.main` imports a module when its verb is used."""
