// `setpoint completion SHELL`: a small script that completes command names and options.

import { Argument, type Command } from "commander"
import type { CliCommand } from "../command.ts"
import { exitCode } from "../exit-codes.ts"

export const completionCommand: CliCommand = {
  register(parser, cli) {
    parser
      .command("completion")
      .description("print a completion script for a shell")
      .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
      .addHelpText("after", "\nExample:\n  source <(setpoint completion bash)")
      .action((shell: "bash" | "zsh" | "fish") =>
        cli.run(async () => {
          cli.terminal.print(scripts[shell](parser))
          return exitCode.ok
        }),
      )
  },
}

const namesOf = (parser: Command) => parser.commands.map((command) => command.name()).join(" ")

const flagsOf = (command: Command) => command.options.map((option) => option.long ?? "").join(" ")

function cases(parser: Command): string {
  const line = (command: Command) =>
    `    ${command.name()}) words="${flagsOf(command)} ${flagsOf(parser)}" ;;`
  return parser.commands.map(line).join("\n")
}

const bash = (parser: Command) => `_setpoint() {
  local words="${namesOf(parser)}" word=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases(parser)}
    esac
    case "$word" in -*) ;; *) words="" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _setpoint setpoint`

function fish(parser: Command): string {
  const lines = ["complete -c setpoint -f -n __fish_use_subcommand"]
  for (const command of parser.commands) {
    const about = command.description().replaceAll("'", "")
    lines.push(`complete -c setpoint -n __fish_use_subcommand -a ${command.name()} -d '${about}'`)
    for (const option of command.options) {
      if (option.long === undefined) continue
      const seen = `-n '__fish_seen_subcommand_from ${command.name()}'`
      lines.push(`complete -c setpoint ${seen} -l ${option.long.replace(/^--/, "")}`)
    }
  }
  return lines.join("\n")
}

const scripts = {
  bash,
  zsh: (parser: Command) => `autoload -U +X bashcompinit && bashcompinit\n${bash(parser)}`,
  fish,
} as const
