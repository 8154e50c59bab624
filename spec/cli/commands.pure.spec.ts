import { Help } from 'commander'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'

it.each(COMMANDS)('the list of commands shows $name as its own help does', async ({ name, term, load }) => {
  const command = await load()
  expect(command.name()).toBe(name)
  expect(new Help().subcommandTerm(command)).toBe(term)
  // The list has the only description, so that it cannot differ.
  expect(command.description()).toBe('')
})
