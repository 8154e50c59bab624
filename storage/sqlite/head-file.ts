import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Head } from '../storage.ts'

// The size and root of the log, noted outside of the store after each commit: a store that lost its end, or was put
// back from an older copy, is in order by itself and only shows beside a note that it cannot take along.

/** Where the log stood. `root` is lower-case hex. */
export type HeadNote = { readonly size: number; readonly root: string }

/** Slots lie in blocks of their own, so that a torn write of one leaves the other. */
const SLOT_BYTES = 4096
const SLOTS = 2

export const headFileOf = (serviceFile: string): string => join(dirname(serviceFile), 'head')

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** One slot: text of fixed length, so that anybody can read it. */
const slotText = ({ size, root }: HeadNote): string => {
  const text = `${String(size).padStart(15, '0')}:${root}`
  return `${text} ${checksumOf(text)}\n`
}

const SLOT = /^((\d{15}):([0-9a-f]{64})) ([0-9a-f]{64})\n/

const readSlot = (text: string): HeadNote | null => {
  const parts = SLOT.exec(text)
  if (!parts) return null
  const [, noted = '', size, root = '', checksum] = parts
  return checksum === checksumOf(noted) ? { size: Number(size), root } : null
}

/** The file holds something, and neither slot can be read. */
export class HeadFileUnreadable extends Error {
  override readonly name = 'HeadFileUnreadable'
}

/** The newest note. Null where there is no file, or an empty one; throws `HeadFileUnreadable` for anything else. */
export const readHeadFile = (file: string): HeadNote | null => readSlots(file)?.newest ?? null

const readSlots = (file: string): { readonly newest: HeadNote; readonly slot: number } | null => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    // ENOTDIR: what was named as the folder is a file.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))) return null
    throw new HeadFileUnreadable(`${file} cannot be read: ${String(error)}`, { cause: error })
  }
  if (bytes.length === 0) return null
  let found: { newest: HeadNote; slot: number } | null = null
  for (let slot = 0; slot < SLOTS; slot++) {
    const newest = readSlot(bytes.toString('latin1', slot * SLOT_BYTES, slot * SLOT_BYTES + 200))
    if (newest && (!found || newest.size > found.newest.size)) found = { newest, slot }
  }
  if (!found)
    throw new HeadFileUnreadable(
      `${file} cannot be read: it holds no size and root of the log. It was damaged, or is no file of this service. To go on without what it told, remove it and start again: it is then written anew`,
    )
  return found
}

/** How a log falls short of what was noted: null when it does not, as far as its size and root tell. */
export const shortfall = (log: HeadNote, noted: HeadNote): string | null => {
  if (log.size < noted.size) return `the log holds ${log.size} records, yet it held ${noted.size}`
  if (log.size === noted.size && log.root !== noted.root)
    return `the log holds ${log.size} records, as it did, yet they are not the same: its root is ${log.root} and was ${noted.root}`
  return null
}

export type HeadFile = {
  /** Notes where the log stands: after its commit is durable, before anyone is answered. Never throws. */
  readonly note: (head: Head) => void
  readonly close: () => void
}

type Options = {
  /** Told when the file can no longer be written: the commits stand all the same, and each one tries again. */
  readonly onFailure: (error: unknown) => void
  /** Writes in place and answers how many bytes, where a spec wants it to fail. */
  readonly write?: (descriptor: number, bytes: Buffer, position: number) => number
}

/**
 * Opens the file for notes, making it when there is none. It is not synced with each: it may lag behind the log, never
 * lead.
 */
export const openHeadFile = (
  file: string,
  {
    onFailure,
    write = (descriptor, bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
  }: Options,
): HeadFile => {
  let descriptor: number | null = null
  // Turns of the slots: one that failed may be torn, and is tried again before the good one is touched.
  let next = 0
  let failing = false

  const open = (first: HeadNote): number => {
    const known = readSlots(file)
    if (!known) create(file, first)
    next = known ? (known.slot + 1) % SLOTS : 1
    return openSync(file, 'r+')
  }

  return {
    note: ({ size, root }) => {
      try {
        const noted = { size, root: root.toString('hex') }
        descriptor ??= open(noted)
        const slot = Buffer.from(slotText(noted), 'latin1')
        const written = write(descriptor, slot, next * SLOT_BYTES)
        if (written < slot.length) throw new Error(`${file} took only ${written} of ${slot.length} bytes`)
        next = (next + 1) % SLOTS
        failing = false
      } catch (error) {
        if (!failing) onFailure(error)
        failing = true
      }
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

/**
 * Whole and on disk before it bears its name: half a file would read as damage. Both slots are filled, so that no later
 * write needs room.
 */
const create = (file: string, first: HeadNote): void => {
  const slot = slotText(first)
  const part = `${file}.part`
  const descriptor = openSync(part, 'w', 0o600)
  try {
    writeSync(descriptor, slot.padEnd(SLOT_BYTES - 1, ' ') + '\n' + slot.padEnd(SLOT_BYTES - 1, ' ') + '\n')
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(part, file)
}
