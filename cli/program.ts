import { Command } from 'commander'
import { COMMANDS } from './commands.ts'
import { ersProgram, runArguments } from './terminal/program.ts'

const TERMS = new Map(COMMANDS.map(({ name, term }) => [name, term]))

/** Runs the arguments of the process with one command, or with the list of all commands, which loads none of them. */
export const runProgram = async (selected: (typeof COMMANDS)[number] | undefined): Promise<void> => {
  const program = ersProgram().configureHelp({
    subcommandTerm: (command) => TERMS.get(command.name()) ?? `${command.name()} [command]`,
  })
  if (selected) program.addCommand((await selected.load()).description(selected.description))
  else for (const { name, description } of COMMANDS) program.addCommand(new Command(name).description(description))
  await runArguments(program)
}
