import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { planSources } from '../../../interchange/convert/plan-sources.ts'
import { otherPages } from '../../../interchange/importers/pages.ts'
import { fileInMemory, fileOnDisk, folderOf } from '../../../interchange/read/source-file.ts'

const MIB = 1024 * 1024

it('reports a file that cannot be read as failed, and goes on with the next one', async () => {
  const missing = ['small', 'large'].map((name, n) =>
    fileOnDisk(join(tmpdir(), `ers-no-such-file-${name}.json`), { size: n * MIB + 1, mtimeMs: 0 }),
  )
  const files = [...missing, fileInMemory('notes.txt', Buffer.from('no results'))]
  const planned = await Array.fromAsync(planSources([{ folder: folderOf('', files), files }], null))
  expect(planned).toMatchObject([
    { kind: 'failed', reason: expect.stringMatching(/^ENOENT/) as string },
    { kind: 'failed', reason: expect.stringMatching(/^ENOENT/) as string },
    { kind: 'unknown' },
  ])
})

it('takes a file that cannot be read for no part of another one', async () => {
  const first = fileInMemory('items-000001.json', Buffer.from('[]'))
  const second = fileInMemory('items-000002.json', Buffer.from('[]'))
  const missing = fileOnDisk(join(tmpdir(), 'ers-no-such-folder', 'items-000003.json'), { size: MIB, mtimeMs: 0 })
  expect(await otherPages(first, folderOf('', [first, missing, second]), () => true)).toEqual([second])
})
