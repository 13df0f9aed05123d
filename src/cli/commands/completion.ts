// `setpoint completion SHELL`: a small script that asks this program what could come next:
// commands, options, and names of loops, plans and objects of the plane that is meant.

import { Argument } from "commander"
import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

const help = `
Where to put it, so that every shell has it:
  bash  echo 'source <(setpoint completion bash)' >> ~/.bashrc
  zsh   echo 'source <(setpoint completion zsh)' >> ~/.zshrc      (after compinit)
  fish  setpoint completion fish > ~/.config/fish/completions/setpoint.fish

Example:
  source <(setpoint completion bash)`

export const completionCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("completion")
      .description("print a completion script for a shell")
      .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
      .addHelpText("after", help)
      .action((shell: keyof typeof scripts) =>
        cli.run(async () => {
          cli.terminal.print(scripts[shell])
          return exitCode.ok
        }),
      )
  },
}

/** Files where nothing else fits: -o default. */
const bash = `_setpoint() {
  local IFS=$'\\n'
  COMPREPLY=($(setpoint complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _setpoint setpoint`

const zsh = `#compdef setpoint
_setpoint() {
  local -a found
  found=("\${(@f)$(setpoint complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _setpoint setpoint`

const fish = `function __setpoint_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (setpoint complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c setpoint -f -a '(__setpoint_complete)'`

const scripts = { bash, zsh, fish } as const
