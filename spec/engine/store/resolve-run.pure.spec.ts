import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../../engine/json.ts'
import { resolveRun } from '../../../engine/store/resolve-run.ts'
import { runText } from '../../../engine/store/run-file.ts'
import { runStore } from '../../../engine/store/run-store.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-resolve-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const store = () => runStore({ directory: join(folder, 'runs'), writer: '7', warn: () => {} })
const run = (id: string) => engineRun(id, [engineCase('a')])
const write = (path: string, text: string): string => {
  writeFileSync(join(folder, path), text)
  return join(folder, path)
}

describe('resolveRun', () => {
  it('finds the latest run, also where the pointer dangles', async () => {
    await store().write(run('01K2ZQ7C8V4T9E6M3B5N1R0WXA'))
    expect(await resolveRun('latest', store())).toMatchObject({
      run: { run_id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA' },
      isStored: true,
    })
    write('runs/latest', 'gone\n')
    expect((await resolveRun('latest', store())).run.run_id).toBe('01K2ZQ7C8V4T9E6M3B5N1R0WXA')
  })

  it('finds a file, a folder with a result, and a stored run', async () => {
    await store().write(run('stored'))
    const file = write('some.json', runText(run('in a file')))
    mkdirSync(join(folder, 'results'))
    write('results/result.json', runText(run('in a folder')))
    expect(await resolveRun(file, store())).toMatchObject({ run: { run_id: 'in a file' }, path: file, isStored: false })
    expect((await resolveRun(join(folder, 'results'), store())).run.run_id).toBe('in a folder')
    expect((await resolveRun('stored', store())).run.run_id).toBe('stored')
  })

  it('knows the file of a stored run', async () => {
    const path = await store().write(run('stored'))
    expect(await resolveRun(path, store())).toMatchObject({ isStored: true })
  })

  it('knows no start of an id and no path out of the store, and lists some ids', async () => {
    for (const id of ['01K2ZQ7C8V4T9E6M3B5N1R0WXA', '01K2ZR7C8V4T9E6M3B5N1R0WXA']) await store().write(run(id))
    for (const reference of ['01K2ZQ7C', '../runs/01K2ZQ7C8V4T9E6M3B5N1R0WXA', '', 'a\0b', 'x'.repeat(5000)]) {
      await expect(resolveRun(reference, store())).rejects.toThrow(UsageError)
      await expect(resolveRun(reference, store())).rejects.toThrow(
        'are 01K2ZR7C8V4T9E6M3B5N1R0WXA, 01K2ZQ7C8V4T9E6M3B5N1R0WXA',
      )
    }
  })

  it('names the newest interrupted run where there is no other', async () => {
    await store().writePartial(run('01K2ZQ7C8V4T9E6M3B5N1R0WXA'))
    await store().writePartial(run('01K2ZR7C8V4T9E6M3B5N1R0WXA'))
    await expect(resolveRun('latest', store())).rejects.toThrow(
      /^no run in .* is whole: 01K2ZR7C8V4T9E6M3B5N1R0WXA was interrupted; name its id, or `ers run` stores another$/,
    )
    await expect(resolveRun('latest', store())).rejects.toThrow(UsageError)
    expect(await resolveRun('01K2ZR7C8V4T9E6M3B5N1R0WXA', store())).toMatchObject({ isPartial: true })
  })

  it('rejects a file that is no run, and an empty store', async () => {
    const file = write('notes.txt', 'nothing')
    await expect(resolveRun(file, store())).rejects.toThrow(/notes\.txt is not a run document: invalid JSON/)
    await expect(resolveRun('latest', store())).rejects.toThrow(/^there is no stored run in .*; `ers run` stores one$/)
  })
})
