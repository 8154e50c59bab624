// What a step shares with the runner: its inputs, its outputs, and the messages in its log. Built-in modules only, for every
// Node from 20 on.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** A problem that the author of the workflow can solve: it is shown without a stack. */
export class InputError extends Error {}

/** The value of an input or of another variable; an empty text if it is not set. */
export const variable = (name) => process.env[name] ?? ''

/** An input that is `true` or `false`. Throws `InputError` for any other text. */
export const isTrue = (name) => {
  const value = variable(`INPUT_${name}`).trim().toLowerCase()
  if (value !== 'true' && value !== 'false')
    throw new InputError(
      `the input ${name.toLowerCase().replaceAll('_', '-')} must be true or false, not ${value || 'empty'}`,
    )
  return value === 'true'
}

/** The lines of an input, without empty ones. */
export const lines = (name) =>
  variable(`INPUT_${name}`)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const append = (variableName, content) => {
  const file = variable(variableName)
  if (file !== '') appendFileSync(file, content)
}

/** Sets an output of the step. A line break would start another output, so it becomes a space. */
export const setOutput = (name, value) => append('GITHUB_OUTPUT', `${name}=${String(value).replace(/[\r\n]+/g, ' ')}\n`)

/** Adds Markdown to the summary of the job. */
export const addSummary = (markdown) => append('GITHUB_STEP_SUMMARY', `${markdown}\n`)

const escaped = (message) => message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** Shows a message in the log and on the page of the job: `notice`, `warning` or `error`. */
export const annotate = (kind, message) => process.stdout.write(`::${kind}::${escaped(message)}\n`)

/**
 * Runs a program and returns its exit code and what it printed. What it prints is shown in the log, in which the runner looks
 * for commands: text of a model must not be one, so commands are off meanwhile. `quiet` shows its standard error alone.
 */
export const runProgram = async ([program, ...args], { env, quiet = false, cwd } = {}) => {
  const token = randomUUID()
  process.stdout.write(`::stop-commands::${token}\n`)
  try {
    const child = spawn(program, args, { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const failed = once(child, 'error').then(([error]) => {
      throw new InputError(`${program} cannot be started: ${error.message}`)
    })
    if (!quiet) child.stdout.on('data', (chunk) => process.stdout.write(chunk))
    child.stderr.on('data', (chunk) => process.stdout.write(chunk))
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const [stdout, stderr, [code]] = await Promise.race([ended, failed])
    return { code: code ?? 3, stdout, stderr }
  } finally {
    // On a line of its own, even if the last line of the program does not end.
    process.stdout.write(`\n::${token}::\n`)
  }
}
