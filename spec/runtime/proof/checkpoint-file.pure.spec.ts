import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCheckpointFile } from '../../../runtime/proof/checkpoint-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ers-checkpoint-file-'))
  file = join(folder, 'checkpoints')
})
afterEach(() => rmSync(folder, { recursive: true }))

const note = (size: number, padding = ''): string =>
  `results.example/log\n${size}\n${'A'.repeat(43)}=\n\n— results.example/log AAAA${padding}\n— results.example/log BBBB\n`

describe('the file of checkpoints', () => {
  it('has each note and an empty line after it', () => {
    const opened = openCheckpointFile(file)
    expect(opened.last()).toBeNull()
    opened.append(note(1))
    opened.append(note(2))
    expect(readFileSync(file, 'utf8')).toBe(`${note(1)}\n${note(2)}\n`)
    expect(opened.last()).toBe(note(2))
  })

  it('may be replaced while it is in use', () => {
    const opened = openCheckpointFile(file)
    opened.append(note(1))
    rmSync(file)
    opened.append(note(2))
    expect(readFileSync(file, 'utf8')).toBe(`${note(2)}\n`)
  })

  it.each([1, 20, 65, 95, note(3).length - 1])(
    'has its last whole note if a write stopped after %i characters',
    (at) => {
      const opened = openCheckpointFile(file)
      opened.append(note(2))
      appendFileSync(file, note(3).slice(0, at))
      expect(openCheckpointFile(file).last()).toBe(note(2))
      opened.append(note(4))
      expect(opened.last()).toBe(note(4))
    },
  )

  it('is read from its end', () => {
    writeFileSync(file, `${note(1)}\n`.repeat(2000))
    const opened = openCheckpointFile(file)
    opened.append(note(2, 'A'.repeat(20_000)))
    expect(opened.last()).toBe(note(2, 'A'.repeat(20_000)))
  })

  it('has the last note of each origin, however far back', () => {
    const former = note(9).replaceAll('results.example/log', 'log')
    // The line of each longer origin ends like that of the former one.
    writeFileSync(
      file,
      `${note(7).replaceAll('results.example/log', 'log')}\n${former}\n${`${note(1)}\n`.repeat(3000)}`,
    )
    const opened = openCheckpointFile(file)
    expect(opened.lastOf('log')).toBe(former)
    expect(opened.lastOf('results.example/log')).toBe(note(1))
    expect(opened.lastOf('other')).toBeNull()
    expect(opened.last()).toBe(note(1))
  })

  it('must be writable', () => {
    const missing = join(folder, 'no-folder', 'checkpoints')
    expect(() => openCheckpointFile(missing)).toThrow(`SERVICE_CHECKPOINT_FILE: ${missing} cannot be written: ENOENT`)
    expect(() => openCheckpointFile('/dev/null')).toThrow('/dev/null cannot be written: it is not a regular file')
  })
})
