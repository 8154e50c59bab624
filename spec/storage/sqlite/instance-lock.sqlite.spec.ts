import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Fenced } from '../../../storage/errors.ts'
import { event } from '../../../storage/log/event.ts'
import { StateDirectoryTaken, takeStateDirectory } from '../../../storage/sqlite/instance-lock.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { aCommand, commitAll, freshFolder, openStore } from '../../support/stores/store.ts'

const MODULE = fileURLToPath(new URL('../../../storage/sqlite/instance-lock.ts', import.meta.url))

/** A separate process that tries to take a state directory, prints the result, and stays alive. */
const PROGRAM = `
  const { takeStateDirectory } = await import(${JSON.stringify(MODULE)})
  try {
    takeStateDirectory(process.argv[1], () => 1777885244000)
    console.log('taken')
    setInterval(() => {}, 1000)
  } catch (error) {
    console.log(error.name + ': ' + error.message)
  }`

const startHolder = async (dir: string) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    pid: child.pid,
    output,
    kill: async () => {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
      child.kill('SIGKILL')
      await exited
    },
  }
}

describe('the lock of a state directory', () => {
  let folder: ReturnType<typeof freshFolder>
  beforeEach(() => void (folder = freshFolder()))
  afterEach(() => folder.remove())

  it('rejects a second process and names the holder', async () => {
    const release = takeStateDirectory(folder.dir, () => 1_777_885_244_000)
    const second = await startHolder(folder.dir)
    expect(second.output).toContain(`StateDirectoryTaken: state directory ${folder.dir} is in use`)
    expect(second.output).toContain(`by process ${process.pid} on ${hostname()} since 2026-05-04T09:00:44.000Z`)
    await second.kill()
    release()
  })

  it('cannot be taken while another process holds it, and is free after that process is killed', async () => {
    const first = await startHolder(folder.dir)
    expect(first.output).toBe('taken')
    expect(() => takeStateDirectory(folder.dir, Date.now)).toThrow(StateDirectoryTaken)
    expect(() => takeStateDirectory(folder.dir, Date.now)).toThrow(`by process ${first.pid} on ${hostname()}`)
    await first.kill()
    takeStateDirectory(folder.dir, Date.now)()
  })

  it('is still held by the first process after others were rejected', async () => {
    const release = takeStateDirectory(folder.dir, Date.now)
    for (const _ of [1, 2]) {
      const refused = await startHolder(folder.dir)
      expect(refused.output).toContain('StateDirectoryTaken')
      await refused.kill()
    }
    release()
  })

  it('rejects a second taker in the same process, and is free after its release', () => {
    const release = takeStateDirectory(folder.dir, Date.now)
    expect(() => takeStateDirectory(folder.dir, Date.now)).toThrow(StateDirectoryTaken)
    expect(() => takeStateDirectory(`${folder.dir}/.`, Date.now)).toThrow(StateDirectoryTaken)
    release()
    takeStateDirectory(folder.dir, Date.now)()
  })

  it('creates the folder and writes the holder into it', () => {
    const dir = join(folder.dir, 'deep', 'down')
    const release = takeStateDirectory(dir, () => 0)
    expect(JSON.parse(readFileSync(join(dir, 'holder.json'), 'utf8'))).toEqual({
      pid: process.pid,
      host: hostname(),
      started_at: '1970-01-01T00:00:00.000Z',
    })
    release()
    expect(existsSync(join(dir, 'lock.db'))).toBe(true)
  })

  it('rejects without naming the holder if holder.json is incomplete', async () => {
    const release = takeStateDirectory(folder.dir, Date.now)
    writeFileSync(join(folder.dir, 'holder.json'), '{')
    const second = await startHolder(folder.dir)
    expect(second.output).toContain('is in use; exactly one instance may use it')
    await second.kill()
    release()
  })

  it('reports that a lock file is not a database', () => {
    writeFileSync(
      join(folder.dir, 'lock.db'),
      'this is no database at all, but long enough to be read as one'.repeat(20),
    )
    expect(() => takeStateDirectory(folder.dir, Date.now)).toThrow('file is not a database')
  })
})

it('the fence stops a writer whose directory was taken over; the new writer loses no record', () => {
  const store = openStore({ instance: 'first' })
  const fact = (n: number) => aCommand([event('run/a', 'A', { n })])
  expect(commitAll(store.writer, fact(1))).toEqual([{ ok: true, result: [1] }])

  const second = openSqliteWriter({ file: store.file, project: () => [], now: () => 0, instance: 'second' })
  expect(commitAll(second, fact(2))).toEqual([{ ok: true, result: [2] }])
  const head = second.head()

  expect(() => commitAll(store.writer, fact(3))).toThrow(Fenced)
  expect(() => commitAll(store.writer, fact(3), fact(4))).toThrow(Fenced)
  expect(() => store.writer.exclusively(() => 0)).toThrow(Fenced)
  expect(store.writer.connection.database.inTransaction).toBe(false)

  expect(commitAll(second, fact(5))).toEqual([{ ok: true, result: [3] }])
  expect(head.size).toBe(2)
  expect(
    second.connection.database
      .prepare("SELECT json_extract(body, '$.data.n') FROM event_bodies ORDER BY seq")
      .pluck()
      .all(),
  ).toEqual([1, 2, 5])
  second.close()
  store.close()
})
