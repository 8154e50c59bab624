import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { contentTypeOf, TYPE_BYTES } from '../../domain/evidence/content-type.ts'
import { errorCode } from '../../domain/plain/error-code.ts'
import type { Json, JsonObject } from '../json.ts'
import { collectParts, type CasePart } from '../evidence/case-parts.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import { ProviderFailure } from './provider.ts'
import { asObject, asString } from './read-json.ts'
import type { Redactor } from './redactor.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024
const MAX_ATTACHMENTS = 100

/** What the files of an answer are read with. */
export type ExecFiles = {
  /** The folder in which the program ran: its files are in it. */
  readonly directory: string
  readonly parts: PartsFolder
  readonly redact: Redactor
}

/**
 * Reads the files that a program names in `transcript` and `attachments`, and returns them as parts. Throws `ProviderFailure` of class
 * `exec_failed` that names the field: for a file outside of the folder, a link, one that is no file, one of more than 64 MiB, and a transcript
 * that does not begin as one.
 */
export const readExecFiles = (response: JsonObject, { directory, parts, redact }: ExecFiles): readonly CasePart[] => {
  const collected = collectParts(parts)
  const { transcript = null, attachments = null } = response
  if (transcript !== null) {
    const bytes = readNamed(directory, 'transcript', transcript, redact)
    if (!beginsAsTranscript(bytes))
      throw violation(
        '`transcript` of the response names a file whose first line is no `{"transcript": 1, …}` (docs/evidence.md, "The form of a transcript")',
      )
    collected.add({ role: 'transcript', name: 'transcript', media_type: 'application/x-ndjson' }, bytes)
  }
  if (attachments === null) return collected.parts
  if (!Array.isArray(attachments)) throw violation('`attachments` of the response must be an array')
  if (attachments.length > MAX_ATTACHMENTS)
    throw violation(`\`attachments\` of the response must have at most ${MAX_ATTACHMENTS} entries`)
  for (const [index, value] of (attachments as readonly Json[]).entries()) {
    const field = `attachments[${index}]`
    const attachment = asObject(value)
    if (attachment === undefined) throw violation(`\`${field}\` of the response must be an object`)
    const { path = null, name = null } = attachment
    if (name !== null && asString(name) === undefined)
      throw violation(`\`${field}.name\` of the response must be a string`)
    const bytes = readNamed(directory, `${field}.path`, path, redact)
    const { type } = contentTypeOf(bytes.subarray(0, TYPE_BYTES))
    collected.add({ role: 'output', name: asString(name) || basename(path as string), media_type: type }, bytes)
  }
  return collected.parts
}

const violation = (what: string): ProviderFailure =>
  new ProviderFailure(`the program broke the protocol: ${what}`, { errorClass: 'exec_failed' })

/** The bytes of the file that a field names, without secrets. */
const readNamed = (directory: string, field: string, path: Json, redact: Redactor): Uint8Array => {
  const wrong = (what: string): ProviderFailure => violation(`\`${field}\` of the response ${what}`)
  if (typeof path !== 'string' || path === '') throw wrong('must be the path of a file')
  const steps = path.split(/[\\/]/).filter((step) => step !== '' && step !== '.')
  if (isAbsolute(path) || /^[A-Za-z]:|^[\\/]|\0/.test(path) || steps.includes('..') || steps.length === 0)
    throw wrong(`must be a path in the folder of the suite, where the program runs, not ${JSON.stringify(path)}`)
  const shown = JSON.stringify(path)
  let place = directory
  try {
    for (const step of steps) {
      place = join(place, step)
      if (lstatSync(place).isSymbolicLink()) throw wrong(`names a link, which is not followed: ${shown}`)
    }
    const bytes = readRegularFile(place, (what) => wrong(`${what}: ${shown}`))
    return redact.bytes(bytes)
  } catch (error) {
    if (error instanceof ProviderFailure) throw error
    const code = errorCode(error)
    throw wrong(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `names no file: ${shown}`
        : `cannot be read (${code ?? 'unknown'}): ${shown}`,
    )
  }
}

/** Reads a file, whatever stood at its path a moment ago. */
const readRegularFile = (path: string, wrong: (what: string) => ProviderFailure): Uint8Array => {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw wrong('names no regular file')
    if (stats.size > MAX_FILE_BYTES) throw wrong('names a file of more than 64 MiB')
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const beginsAsTranscript = (bytes: Uint8Array): boolean => {
  const end = bytes.indexOf(0x0a)
  try {
    const line = JSON.parse(Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString()) as Json
    return asObject(line)?.['transcript'] === 1
  } catch {
    return false
  }
}
