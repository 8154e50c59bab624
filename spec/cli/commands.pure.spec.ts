import { Help } from 'commander'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../cli/commands.ts'

describe('the list of commands', () => {
  it.each(COMMANDS)('shows $name as its own help does', async ({ name, term, load }) => {
    const command = await load()
    expect(command.name()).toBe(name)
    expect(new Help().subcommandTerm(command)).toBe(term)
    // The list has the only description, so that it cannot differ.
    expect(command.description()).toBe('')
  })
})
