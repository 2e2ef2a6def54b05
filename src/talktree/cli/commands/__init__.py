"""The commands, one module each; `cli.main` imports a module when its command is used."""
