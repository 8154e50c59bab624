import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Head } from '../storage.ts'

// The size and root of the log, written outside of the store after each commit. A store that lost its end, or was
// restored from an older copy, is consistent in itself. Only a separate note shows that records are missing.

/** A noted head of the log. `root` is lower-case hex. */
export type HeadNote = { readonly size: number; readonly root: string }

/** Each slot has a block of its own, so that a torn write of one leaves the other intact. */
const SLOT_BYTES = 4096
const SLOTS = 2

export const headFileOf = (serviceFile: string): string => join(dirname(serviceFile), 'head')

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** One slot: readable text of fixed length. */
const slotText = ({ size, root }: HeadNote): string => {
  const text = `${String(size).padStart(15, '0')}:${root}`
  return `${text} ${checksumOf(text)}\n`
}

const SLOT = /^((\d{15}):([0-9a-f]{64})) ([0-9a-f]{64})\n/

const readSlot = (text: string): HeadNote | null => {
  const match = SLOT.exec(text)
  if (!match) return null
  const [, noted = '', size, root = '', checksum] = match
  return checksum === checksumOf(noted) ? { size: Number(size), root } : null
}

/** The file is not empty, and neither slot can be read. */
export class HeadFileUnreadable extends Error {
  override readonly name = 'HeadFileUnreadable'
}

/** The newest note. Null if the file is missing or empty; throws `HeadFileUnreadable` for any other content. */
export const readHeadFile = (file: string): HeadNote | null => readSlots(file)?.newest ?? null

const readSlots = (file: string): { readonly newest: HeadNote; readonly slot: number } | null => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    // ENOTDIR: the given folder is a file.
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
      `${file} cannot be read: it contains no size and root of the log. ` +
        'It was damaged, or is not a file of this service. To discard it, delete it and restart: a new one is created',
    )
  return found
}

/** The reason why the log cannot contain the noted records; null if its size and root do not contradict the note. */
export const shortfall = (log: HeadNote, noted: HeadNote): string | null => {
  if (log.size < noted.size) return `the log holds ${log.size} records, yet it held ${noted.size}`
  if (log.size === noted.size && log.root !== noted.root)
    return `the log holds ${log.size} records, as before, but they are not the same: its root is ${log.root} and was ${noted.root}`
  return null
}

export type HeadFile = {
  /** Notes the head after its commit is durable and before any client gets a response. Never throws. */
  readonly note: (head: Head) => void
  readonly close: () => void
}

type Options = {
  /**
   * Called when the file can no longer be written. Commits stay valid, and each later commit tries to write the file
   * again.
   */
  readonly onFailure: (error: unknown) => void
  /** Writes in place and returns the number of bytes; specs make it fail. */
  readonly write?: (descriptor: number, bytes: Buffer, position: number) => number
}

/**
 * Opens the file for notes and creates it if it is missing. The file is not synced after each note, so it may be behind
 * the log, but it is never ahead of it.
 */
export const openHeadFile = (
  file: string,
  {
    onFailure,
    write = (descriptor, bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
  }: Options,
): HeadFile => {
  let descriptor: number | null = null
  // The slot of the next write. A failed write may have torn its slot, so it is retried there before the intact slot is
  // overwritten.
  let nextSlot = 0
  let hasFailed = false

  const open = (first: HeadNote): number => {
    const slots = readSlots(file)
    if (!slots) create(file, first)
    nextSlot = slots ? (slots.slot + 1) % SLOTS : 1
    return openSync(file, 'r+')
  }

  return {
    note: ({ size, root }) => {
      try {
        const noted = { size, root: root.toString('hex') }
        descriptor ??= open(noted)
        const slot = Buffer.from(slotText(noted), 'latin1')
        const written = write(descriptor, slot, nextSlot * SLOT_BYTES)
        if (written < slot.length) throw new Error(`only ${written} of ${slot.length} bytes were written to ${file}`)
        nextSlot = (nextSlot + 1) % SLOTS
        hasFailed = false
      } catch (error) {
        if (!hasFailed) onFailure(error)
        hasFailed = true
      }
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
    },
  }
}

/**
 * The file is synced to disk before it gets its final name, because an incomplete file would count as damaged. Both
 * slots are filled, so that later writes need no more disk space.
 */
const create = (file: string, first: HeadNote): void => {
  const slot = slotText(first)
  const temporary = `${file}.part`
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    writeSync(descriptor, slot.padEnd(SLOT_BYTES - 1, ' ') + '\n' + slot.padEnd(SLOT_BYTES - 1, ' ') + '\n')
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
}
