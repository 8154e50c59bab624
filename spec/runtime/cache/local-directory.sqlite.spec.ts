import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLocalDirectory } from '../../../runtime/cache/local-directory.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import { cacheKeyOf } from '../../support/documents/cache-bodies.ts'

const text = (answer: LongReadAnswer | null | undefined): string => Buffer.from(answer?.body ?? '').toString()
const cache = { max_entry_bytes: 1000, max_bytes: 1, max_age_days: 1 }

it('the local tier reads the configured directory, or logs that it cannot resolve it', async () => {
  const warned: unknown[] = []
  const logger = { warn: (fields: object, message: string) => warned.push([fields, message]) } as unknown as Parameters<
    typeof openLocalDirectory
  >[1]
  const dir = mkdtempSync(join(tmpdir(), 'ers-tier-'))
  const open = (localCacheDir: string | null) =>
    openLocalDirectory({ localCacheDir, localCacheMaxScan: 10, cache }, logger)
  expect(await open(null)).toBeNull()
  const tier = await open(dir)
  expect(text(await tier?.list({}, { sort: 'created', order: 'desc' }, { limit: 1 }))).toBe(
    '{"entries":[],"next_cursor":null,"truncated":false}',
  )
  expect(text(await tier?.facets())).toBe(
    '{"kinds":[],"models":[],"empty_reasons":[],"total":0,"unindexed":0,"unparseable":0}',
  )
  expect(await tier?.find(cacheKeyOf('a'), false)).toBeNull()
  expect(warned).toEqual([])
  writeFileSync(join(dir, 'file'), '')
  for (const name of ['missing', 'file']) expect(await open(join(dir, name))).toBeNull()
  expect(warned).toEqual(
    ['missing', 'file'].map((name) => [
      { directory: join(dir, name), error: expect.any(String) as unknown },
      'the local cache directory cannot be resolved; it is not shown',
    ]),
  )
  rmSync(dir, { recursive: true })
})
