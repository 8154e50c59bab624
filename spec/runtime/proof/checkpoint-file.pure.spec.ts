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
  it('has each note and an empty line after it', async () => {
    const opened = await openCheckpointFile(file)
    expect(await opened.last()).toBeNull()
    await opened.append(note(1))
    await opened.append(note(2))
    expect(readFileSync(file, 'utf8')).toBe(`${note(1)}\n${note(2)}\n`)
    expect(await opened.last()).toBe(note(2))
  })

  it('may be replaced while it is in use', async () => {
    const opened = await openCheckpointFile(file)
    await opened.append(note(1))
    rmSync(file)
    await opened.append(note(2))
    expect(readFileSync(file, 'utf8')).toBe(`${note(2)}\n`)
  })

  it.each([1, 20, 65, 95, note(3).length - 1])(
    'has its last whole note if a write stopped after %i characters',
    async (at) => {
      const opened = await openCheckpointFile(file)
      await opened.append(note(2))
      appendFileSync(file, note(3).slice(0, at))
      expect(await (await openCheckpointFile(file)).last()).toBe(note(2))
      await opened.append(note(4))
      expect(await opened.last()).toBe(note(4))
    },
  )

  it('is read from its end', async () => {
    writeFileSync(file, `${note(1)}\n`.repeat(2000))
    const opened = await openCheckpointFile(file)
    await opened.append(note(2, 'A'.repeat(20_000)))
    expect(await opened.last()).toBe(note(2, 'A'.repeat(20_000)))
  })

  it('has the last note of each origin, however far back', async () => {
    const former = note(9).replaceAll('results.example/log', 'log')
    // The line of each longer origin ends like that of the former one.
    writeFileSync(
      file,
      `${note(7).replaceAll('results.example/log', 'log')}\n${former}\n${`${note(1)}\n`.repeat(3000)}`,
    )
    const opened = await openCheckpointFile(file)
    expect(await opened.lastOf('log')).toBe(former)
    expect(await opened.lastOf('results.example/log')).toBe(note(1))
    expect(await opened.lastOf('other')).toBeNull()
    expect(await opened.last()).toBe(note(1))
  })

  it('holds nothing up if its volume hangs', async () => {
    let signal = AbortSignal.timeout(60_000)
    const opened = await openCheckpointFile(file, () => signal)
    signal = AbortSignal.abort()
    const uses = await Promise.allSettled([opened.append(note(1)), opened.last()])
    expect(uses).toMatchObject([
      { reason: { message: `SERVICE_CHECKPOINT_FILE: ${file} cannot be used: it did not answer in time` } },
      { reason: { message: `SERVICE_CHECKPOINT_FILE: ${file} cannot be used: an earlier use has not ended` } },
    ])
    signal = AbortSignal.timeout(60_000)
    // The late write ends after all.
    await expect.poll(() => opened.last().catch(() => null), { interval: 1 }).toBe(note(1))
  })

  it('must be writable', async () => {
    const missing = join(folder, 'no-folder', 'checkpoints')
    await expect(openCheckpointFile(missing)).rejects.toThrow(
      `SERVICE_CHECKPOINT_FILE: ${missing} cannot be used: ENOENT`,
    )
    await expect(openCheckpointFile('/dev/null')).rejects.toThrow('/dev/null cannot be used: it is not a regular file')
  })
})
