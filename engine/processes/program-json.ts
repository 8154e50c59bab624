import type { Json } from '../json.ts'
import { TooDeep, parseResponse } from '../response-json.ts'
import { ProgramFailure, type ProgramResult } from './program.ts'

/** How much of stdout or stderr a message quotes. */
const MAX_QUOTED_CHARACTERS = 500

/**
 * The one JSON document that a program wrote to stdout. Throws `ProgramFailure` of reason `exit` that quotes the start
 * of stdout and the end of stderr.
 */
export const readProgramJson = ({ stdout, stderr }: ProgramResult): Json => {
  const text = stdout.trim()
  try {
    return parseResponse(text)
  } catch (error) {
    if (error instanceof TooDeep) throw new ProgramFailure('exit', error.message, stderr)
    const found = text === '' ? 'nothing' : `text that is not JSON: ${text.slice(0, MAX_QUOTED_CHARACTERS)}`
    const diagnostics = stderr.trim().slice(-MAX_QUOTED_CHARACTERS)
    throw new ProgramFailure(
      'exit',
      `the program wrote ${found}${diagnostics === '' ? '' : `; stderr: ${diagnostics}`}`,
      stderr,
      { cause: error },
    )
  }
}
