import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCheckpoint } from '../../../domain/proof/checkpoint.ts'
import { parseNote } from '../../../domain/proof/note.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'
import { onFile } from '../../support/stores/store.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'ers-served-checkpoints-'))
  const server = await startServer({ dataDir })
  expect(await server.stop({ keep: true })).toBe(0)
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/** Starts a server that is expected to fail, and returns its fatal lines. */
const failedStart = async (): Promise<readonly string[]> => {
  const { code, stderr } = await runErs(['serve', '--port', '0', '--data-dir', dataDir], { cwd: dataDir })
  expect(code).toBe(1)
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; msg: string })
  return lines.filter(({ level }) => level === 60).map(({ msg }) => msg)
}

const sizeOfLog = (): unknown =>
  onFile(join(dataDir, 'service.db'), (database) => database.prepare('SELECT size FROM log_head').pluck().get())

describe('a server on a state directory', () => {
  it('has signed its whole log when it stops', () => {
    const guard = parseCheckpoint(parseNote(readFileSync(join(dataDir, 'checkpoint'), 'utf8')).text)
    expect(guard.size).toBe(sizeOfLog())
    expect(readFileSync(join(dataDir, 'checkpoint-key'), 'utf8').startsWith(`PRIVATE+KEY+${guard.origin}+`)).toBe(true)
  })

  it('does not start if it lacks records that it has signed, and records nothing', async () => {
    const file = join(dataDir, 'checkpoint')
    const note = readFileSync(file, 'utf8')
    const size = Number(sizeOfLog())
    writeFileSync(file, note.replace(`\n${size}\n`, `\n${size + 1}\n`))
    const messages = await failedStart()
    expect(messages).toEqual([expect.stringContaining(`the checkpoint in ${file} is not a prefix of this log`)])
    expect(sizeOfLog()).toBe(size)
    writeFileSync(file, note)
  })

  it('does not start without its key', async () => {
    const file = join(dataDir, 'checkpoint-key')
    const text = readFileSync(file, 'utf8')
    rmSync(file)
    const size = sizeOfLog()
    expect(await failedStart()).toEqual([expect.stringContaining(`${file} is missing, but this log is signed by`)])
    expect(sizeOfLog()).toBe(size)
    writeFileSync(file, text, { mode: 0o600 })
    const server = await startServer({ dataDir })
    expect(await server.stop({ keep: true })).toBe(0)
  })
})
