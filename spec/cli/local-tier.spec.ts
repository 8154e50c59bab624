import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLocalTier } from '../../cli/local-tier.ts'

const cache = { max_entry_bytes: 1000, max_bytes: 1, max_age_days: 1 }

it('the local tier is the directory that was named, and none where it cannot be resolved, which is told', async () => {
  const warned: unknown[] = []
  const logger = { warn: (fields: object, message: string) => warned.push([fields, message]) } as unknown as Parameters<typeof openLocalTier>[1]
  const dir = mkdtempSync(join(tmpdir(), 'ers-tier-'))
  const open = (localCacheDir: string | null) => openLocalTier({ localCacheDir, localCacheMaxScan: 10, cache }, logger)
  expect(await open(null)).toBeNull()
  expect(await (await open(dir))?.snapshot()).toEqual({ entries: [], truncated: false })
  expect(warned).toEqual([])
  writeFileSync(join(dir, 'file'), '')
  for (const name of ['missing', 'file']) expect(await open(join(dir, name))).toBeNull()
  expect(warned).toEqual(['missing', 'file'].map((name) => [{ directory: join(dir, name), error: expect.any(String) as unknown }, 'the local cache directory cannot be resolved; it is not shown']))
  rmSync(dir, { recursive: true })
})
