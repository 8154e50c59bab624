import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import { evidenceWork, recordDocument } from '../../../cli/import/store-target.ts'
import { openService } from '../../../runtime/open-service.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-store-target-'))))
afterAll(() => rmSync(folder, { recursive: true }))

it('sends a large document of a file as a copy, so that it can be sent again', async () => {
  const path = join(folder, 'large.json')
  const config_snapshot = { words: 'a word '.repeat(3_000_000) }
  writeFileSync(path, JSON.stringify(aDocument({ run_id: 'large', config_snapshot })))
  const service = await openService({ dataDir: join(folder, 'state'), threads: true })
  try {
    const body = await readFile(path)
    const size = body.length
    expect(await recordDocument(service, { body, encoding: null }, false)).toMatchObject({
      kind: 'imported',
      id: 'large',
    })
    expect(body.length).toBe(size)
    expect(await recordDocument(service, { body, encoding: null }, false)).toMatchObject({ kind: 'already_there' })
  } finally {
    await service.close()
  }
})

it('says how many cases of a run are hidden by another of the same key', async () => {
  const service = await openService({ dataDir: join(folder, 'hidden'), threads: true })
  try {
    const document = aDocument({ run_id: 'twice', cases: [aCase(), aCase({ output: 'another' })] })
    const body = Buffer.from(JSON.stringify(document))
    const outcome = { id: 'twice', hidden_cases: 1 }
    expect(await recordDocument(service, { body, encoding: null }, false)).toMatchObject(outcome)
  } finally {
    await service.close()
  }
})

it('tries evidence again while the store is out of reach, and not what it refuses', async () => {
  const waits: number[] = []
  const retry = {
    signal: new AbortController().signal,
    random: () => 0,
    wait: async (ms: number) => void waits.push(ms),
  }
  const problemOf = evidenceWork(retry, () => null)
  const failing = (times: number) => async () => {
    if (waits.length < times) throw new Unavailable('away')
  }
  expect(await problemOf(failing(2))).toBeNull()
  expect(waits).toHaveLength(2)
  expect(await problemOf(failing(100))).toEqual({
    kind: 'failed',
    status: 'unavailable',
    reason: 'the evidence: away',
  })
  waits.length = 0
  const refused = () => Promise.reject(new Refused('conflict', 'full'))
  expect(await problemOf(refused)).toEqual({ kind: 'refused', status: 'conflict', reason: 'the evidence: full' })
  expect(waits).toEqual([])
})
