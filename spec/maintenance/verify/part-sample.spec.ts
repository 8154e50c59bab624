import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampledShare, samplerOf } from '../../../maintenance/verify/part-sample.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { attach, digestOf, manifestOf, noise, postParts, putPart } from '../../support/documents/parts.ts'
import { flipStoredBit } from '../../support/documents/stored-objects.ts'
import { openApp } from '../../support/servers/app.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const spec = await openApp()
afterAll(() => spec.close())

const large = noise(300_000, 1)
const small = Array.from({ length: 1100 }, (_, n) => Buffer.from(`part ${n}`))
const TOTAL = small.length + 2
const share = sampledShare(TOTAL)
let run_no = 0
/** The first seed whose sample has the large part, or has not. */
const seedThat = (reads: boolean): string => {
  for (let n = 0; ; n++) if (samplerOf(`seed ${n}`, share)(run_no, digestOf(large)) === reads) return `seed ${n}`
}

beforeAll(async () => {
  const write = spec.sendAs('write')
  await spec.ingest(aDocument({ run_id: 'many' }))
  const manifest = manifestOf([...small, large].map((bytes) => ({ bytes, role: 'original' })))
  for (const some of [small.slice(0, 1000), small.slice(1000)])
    expect((await postParts(write, some)).statusCode).toBe(200)
  for (const bytes of [large, manifest]) await putPart(write, bytes)
  expect((await attach(write, 'many', digestOf(manifest))).statusCode).toBe(201)
  run_no = Number((await spec.column('SELECT run_no FROM runs'))[0])
})

const verify = (sampleSeed: string) => verifyStore(spec, { parts: 'sample', sampleSeed })

describe('a sample of more than a thousand parts', () => {
  it('is described by a note: how many were read, the seed, and the odds', async () => {
    const { finding, parts, notes } = await verify('seed 7')
    expect([finding, parts]).toEqual([null, TOTAL])
    const [, read, total] = /^the content of (\d+) of (\d+) parts was read \(seed seed 7\)/.exec(notes.join('\n')) ?? []
    expect(Number(total)).toBe(TOTAL)
    expect(Math.abs(Number(read) - 1000)).toBeLessThan(60)
  })

  it('finds a changed bit of an object that it reads, and of no other', async () => {
    const [object_id] = await spec.column("SELECT object_id FROM objects WHERE state = 'stored'")
    const place = { object_id: String(object_id), at: 290_000 }
    await flipStoredBit(spec, place)
    expect((await verify(seedThat(true))).finding).toMatchObject({
      ...{ kind: 'altered', message: expect.stringContaining(digestOf(large)) as string },
    })
    expect((await verify(seedThat(false))).finding).toBeNull()
  })
})
