import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkCheckpoint } from '../../../domain/proof/check.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { cosignedNote } from '../../../queries/log/checkpoints.ts'
import { LAST_DELIVERY_MS, MAX_UNWITNESSED_MS } from '../../../runtime/proof/deliveries.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { witnessKey } from '../../support/proof/keys.ts'
import { exampleKey, startSpecSigner, type SpecSigner } from '../../support/proof/opened-signer.ts'
import { startStubWitness, type StubWitness } from '../../support/proof/stub-witness.ts'
import { openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'

const START = 1_780_000_000_000

let fresh: FreshService
let witness: StubWitness
let time: number
let opened: SpecSigner | null

beforeEach(async () => {
  time = START
  opened = null
  ;[fresh, witness] = await Promise.all([openFreshService({ now: () => time }), startStubWitness(exampleKey().vkey)])
  await record()
})
afterEach(async () => {
  await opened?.signer.close()
  await witness.close()
  await fresh.close()
})

const record = (): Promise<void> =>
  fresh.service.commit.restrictSet(SYSTEM, { project: `p${(time += 10)}`, suite: null })

const policyOf = (text = `log ${exampleKey().vkey}\n${witness.line}quorum w9\n`) => ({
  file: 'policy',
  bytes: Buffer.from(text),
})

const start = async (
  policy = policyOf(),
  parts: Parameters<typeof startSpecSigner>[2] = {},
): Promise<SpecSigner['signer']> => {
  opened = await startSpecSigner(fresh, { policy }, parts)
  return opened.signer
}

const cosignedSizes = () => fresh.sql.column('SELECT size FROM cosignatures ORDER BY size, key_name')

/** Adds a record, fires the timers, and waits until a checkpoint of the new size is signed. Returns that size. */
const signAgain = async (): Promise<number> => {
  await record()
  const { size } = await fresh.service.head()
  opened?.timers.fire()
  await expect.poll(async () => opened?.signer.status().newest?.size, { interval: 1 }).toBe(size)
  return size
}

const answered = (...statuses: readonly number[]) =>
  expect.poll(() => witness.answered, { interval: 1 }).toEqual(statuses)

describe('a witness', () => {
  it('cosigns each checkpoint, from the size that it knows', async () => {
    const signer = await start()
    const first = (await signer.newest())!.size
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([first])
    const second = await signAgain()
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([first, second])
    expect([witness.asked, witness.answered]).toEqual([
      [0, first],
      [200, 200],
    ])

    const checkpoint = (await signer.newestCosigned())!
    expect(checkpoint.size).toBe(second)
    await checkCheckpoint(
      cosignedNote(checkpoint, checkpoint.cosignatures),
      {
        keys: [await parseVkey(exampleKey().vkey, nodeCrypto)],
        policy: await parsePolicy(policyOf().bytes, nodeCrypto),
      },
      nodeCrypto,
    )
    expect(await fresh.sql.column('SELECT at FROM cosignatures')).toEqual([1_780_000_000, 1_780_000_000])
    expect(opened!.lines).toEqual([])
  })

  it('is asked from the size that its 409 names, once', async () => {
    const signer = await start()
    const first = (await signer.newest())!
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([first.size])
    await fresh.sql.execute('DELETE FROM witnesses')
    const second = await signAgain()
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([first.size, second])
    expect([witness.asked, witness.answered]).toEqual([
      [0, 0, first.size],
      [200, 409, 200],
    ])
  })

  it('is asked from zero again if it has forgotten the log', async () => {
    await start()
    await answered(200)
    witness.remember(null)
    await signAgain()
    await answered(200, 409, 200)
  })

  it('that was away is asked again, and logged once', async () => {
    await start()
    await answered(200)
    witness.misbehave(() => ({ status: 502, text: '' }))
    await signAgain()
    await answered(200, 502)
    opened!.timers.fire()
    // The witness has cosigned, although its answer was lost.
    await answered(200, 502, 502)
    witness.misbehave(null)
    opened!.timers.fire()
    await expect.poll(async () => (await cosignedSizes()).length, { interval: 1 }).toBe(2)
    expect(opened!.lines).toMatchObject([{ level: 40, reason: 'it answered with status 502' }])
  })

  it('that cannot be reached is no obstacle', async () => {
    await witness.close()
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect
      .poll(() => opened!.lines, { interval: 1 })
      .toMatchObject([{ level: 40, size, witness: witness.url.replace(/\/$/, '') }])
    expect(await signer.newestCosigned()).toBeNull()
    expect((await signer.covering(size)).size).toBe(size)
  })

  it('that does not answer is given up, and holds up nothing', async () => {
    const deadlines: AbortController[] = []
    const deadline = (): AbortSignal => {
      deadlines.push(new AbortController())
      return deadlines.at(-1)!.signal
    }
    witness.misbehave(() => new Promise(() => {}))
    const signer = await start(policyOf(), { deadline })
    await expect.poll(() => witness.asked.length, { interval: 1 }).toBe(1)
    const size = await signAgain()
    expect((await signer.covering(size)).size).toBe(size)
    deadlines[0]!.abort(new Error('it took too long'))
    await expect.poll(() => opened!.lines, { interval: 1 }).toMatchObject([{ level: 40, reason: 'it took too long' }])
  })

  it('that answers 409 for ever is asked twice for each checkpoint', async () => {
    witness.misbehave(() => ({ status: 409, text: '1\n' }))
    await start()
    await answered(409, 409)
    await signAgain()
    await answered(409, 409, 409, 409)
    expect(opened!.lines.map(({ level, reason }) => [level, reason])).toEqual([
      [40, 'it answered 409 twice, the second time with the size 1'],
    ])
    expect(await cosignedSizes()).toEqual([])
  })

  it.each([
    ['it answered 409 without the size', { status: 409, text: 'conflict' }],
    ['it does not know this log (404)', { status: 404, text: '' }],
    ['it trusts none of the keys of this log (403)', { status: 403, text: '' }],
    ['it answered with status 302', { status: 302, text: '' }],
    ['its answer has no cosignature of witness.example/w1', { status: 200, text: 'no line\n\n— x AAAA\n' }],
    ['its answer has no valid cosignature', { status: 200, text: '— witness.example/w1 ZEROS\n' }],
    ['its answer has more than 32 lines', { status: 200, text: `${'\n'.repeat(50)}${'— x AAAAAAAA\n'.repeat(33)}` }],
    ['its answer has more than 32 lines', { status: 200, text: '\n'.repeat(65_000) }],
    ['the answer is longer than 262144 bytes', { status: 200, text: 'x'.repeat(300_000) }],
  ])('is not believed: %s', async (reason, answer) => {
    const zeros = Buffer.concat([Buffer.from(witness.vkey.split('+')[1]!, 'hex'), Buffer.alloc(72)]).toString('base64')
    witness.misbehave(() => ({ ...answer, text: answer.text.replace('ZEROS', zeros) }))
    await start()
    await expect
      .poll(() => opened!.lines, { interval: 1 })
      .toMatchObject([{ level: 40, reason: expect.stringContaining(reason) as string }])
    expect(await cosignedSizes()).toEqual([])
    expect(opened!.signer.status().witness_conflicts).toBe(0)
  })

  it.each([
    [0, 'the cosignature of witness.example/w8 states no time'],
    [START / 1000 + 301, 'the time of the cosignature of witness.example/w8 is more than 5 minutes ahead'],
    [2 ** 50, 'the time of the cosignature of witness.example/w8 is more than 5 minutes ahead'],
  ])('is not believed: its time is %i', async (seconds, reason) => {
    const clocked = await startStubWitness(exampleKey().vkey, { seed: 8, name: 'witness.example/w8', seconds })
    try {
      time = START
      const signer = await start(policyOf(`log ${exampleKey().vkey}\n${clocked.line}quorum w8\n`))
      await expect.poll(() => opened!.lines, { interval: 1 }).toMatchObject([{ level: 40, reason }])
      expect(await cosignedSizes()).toEqual([])
      expect(await signer.newestCosigned()).toBeNull()
    } finally {
      await clocked.close()
    }
  })

  it('may have a clock that is five minutes ahead', async () => {
    const clocked = await startStubWitness(exampleKey().vkey, { seed: 8, seconds: START / 1000 + 300 })
    try {
      await start(policyOf(`log ${exampleKey().vkey}\n${clocked.line}quorum w8\n`))
      await expect.poll(cosignedSizes, { interval: 1 }).toHaveLength(1)
    } finally {
      await clocked.close()
    }
  })

  it('gives no other cosignature than one of this checkpoint', async () => {
    await start()
    await answered(200)
    let first = ''
    witness.misbehave((honest) => {
      first ||= honest.text
      return { ...honest, text: first }
    })
    await signAgain()
    await answered(200, 200)
    await signAgain()
    await expect
      .poll(() => opened!.lines.map(({ reason }) => reason), { interval: 1 })
      .toEqual(['its answer has no valid cosignature of witness.example/w1'])
  })
})

describe('a witness that has seen another history', () => {
  it('by another root at the same size is reported, and signing goes on', async () => {
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([size])
    await fresh.sql.execute('DELETE FROM cosignatures')
    witness.remember({ size, root: Buffer.alloc(32, 1) })
    opened!.timers.fire()
    await expect
      .poll(() => opened!.lines, { interval: 1 })
      .toMatchObject([{ level: 60, reason: `it knows another root at ${size} records` }])
    expect(signer.status()).toMatchObject({ has_stopped: false, witness_conflicts: 1 })
    expect((await signer.newest())!.size).toBe(size)
  })

  it.each(['root hash mismatch\n', ''])('by another root, described in its own words %j, is reported', async (text) => {
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([size])
    await fresh.sql.execute('DELETE FROM cosignatures')
    witness.misbehave(() => ({ status: 409, text }))
    opened!.timers.fire()
    await expect
      .poll(() => opened!.lines, { interval: 1 })
      .toMatchObject([{ level: 60, reason: `it knows another root at ${size} records` }])
    expect(signer.status().witness_conflicts).toBe(1)
  })

  it('by a proof that it refuses is reported', async () => {
    const signer = await start()
    await answered(200)
    witness.remember({ size: (await signer.newest())!.size, root: Buffer.alloc(32, 1) })
    await signAgain()
    await answered(200, 422)
    await expect.poll(() => opened!.lines.map(({ level }) => level), { interval: 1 }).toEqual([60])
    expect(signer.status().witness_conflicts).toBe(1)
  })

  it('by a size beyond the log is reported', async () => {
    witness.remember({ size: 999, root: Buffer.alloc(32, 1) })
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect
      .poll(() => opened!.lines, { interval: 1 })
      .toMatchObject([{ level: 60, reason: `it knows a log of 999 records, and the newest checkpoint has ${size}` }])
    expect(signer.status().witness_conflicts).toBe(1)
  })

  it('is none if another replica had a newer checkpoint cosigned meanwhile', async () => {
    const signer = await start()
    await answered(200)
    let newer = 0
    witness.misbehave(async () => {
      if (newer > 0) throw new Error('the witness was asked again')
      await record()
      const replica = await startSpecSigner(fresh)
      newer = (await replica.signer.newest())!.size
      return { status: 409, text: `${newer}\n` }
    })
    await signAgain()
    await answered(200, 409)
    await signer.close()
    expect(signer.status().witness_conflicts).toBe(0)
    expect(opened!.lines).toEqual([])
  })
})

describe('checkpoints without enough cosignatures', () => {
  it('show how long, and are warned of after ten minutes', async () => {
    witness.misbehave(() => ({ status: 500, text: '' }))
    const signer = await start()
    const since = (await signer.newest())!.signed_at
    await answered(500)
    await signAgain()
    await answered(500, 500)
    expect(signer.status().unwitnessed_since).toBe(since)
    expect(opened!.lines).toHaveLength(1)
    opened!.timers.fire(MAX_UNWITNESSED_MS)
    await signAgain()
    await answered(500, 500, 500)
    opened!.timers.fire(MAX_UNWITNESSED_MS)
    expect(opened!.lines.map(({ msg }) => msg)).toEqual([
      'a witness has not cosigned a checkpoint; it is asked again',
      expect.stringContaining('no checkpoint has had enough cosignatures for 10 minutes'),
    ])
    witness.misbehave(null)
    await signAgain()
    await expect.poll(() => signer.status().unwitnessed_since, { interval: 1 }).toBeNull()
    opened!.timers.fire(MAX_UNWITNESSED_MS)
    expect(signer.status().unwitnessed_since).toBeNull()
    expect(opened!.lines).toHaveLength(2)
  })

  it('are known after a restart, and warned of when the ten minutes are over', async () => {
    const before = await startSpecSigner(fresh, { policy: policyOf() })
    await expect.poll(cosignedSizes, { interval: 1 }).toHaveLength(1)
    witness.misbehave(() => ({ status: 500, text: '' }))
    await record()
    await before.signer.close()
    const [since] = await fresh.sql.column('SELECT signed_at FROM checkpoints ORDER BY size DESC LIMIT 1')
    time += 400_000
    const signer = await start()
    expect(signer.status().unwitnessed_since).toBe(since)
    expect(opened!.timers.waiting.map(({ ms }) => ms)).toContain(MAX_UNWITNESSED_MS - (time - Number(since)))
  })

  it('are not the newest cosigned one', async () => {
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([size])
    witness.misbehave(() => ({ status: 500, text: '' }))
    const newest = await signAgain()
    expect((await signer.newest())!.size).toBe(newest)
    expect((await signer.newestCosigned())!.size).toBe(size)
    // A receipt uses the cosigned one as long as it suffices.
    expect((await signer.covering(size)).size).toBe(size)
    expect((await signer.covering(size + 1)).size).toBe(newest)
  })
})

it('the last checkpoint of a stop is sent, but the stop does not wait long', async () => {
  const waits: Array<() => void> = []
  const schedule = (ms: number, work: () => void) => {
    if (ms === LAST_DELIVERY_MS) waits.push(work)
    return () => {}
  }
  await start(policyOf(), { schedule })
  await answered(200)
  await record()
  const { size } = await fresh.service.head()
  await opened!.signer.close()
  expect((await cosignedSizes()).at(-1)).toBe(size)

  const again = await start(policyOf(), { schedule })
  witness.misbehave(() => new Promise(() => {}))
  await record()
  const closed = again.close()
  await expect.poll(() => waits.length, { interval: 1 }).toBe(2)
  waits.at(-1)!()
  await closed
  expect((await cosignedSizes()).at(-1)).toBe(size)
  expect((await fresh.sql.column('SELECT size FROM checkpoints ORDER BY size')).at(-1)).toBeGreaterThan(size)
})

describe('a policy', () => {
  it.each([
    ['w9', 'ftp://witness.example/', 'is not an http or https URL'],
    ['w9', 'witness.example/w1/', 'is not an http or https URL'],
    ['w9', 'https://user:secret@witness.example/', 'must have no user name and no password'],
    ['w9', 'https://witness.example/?key=secret', 'must have no query and no fragment'],
  ])('with %s at %s is refused, without its secret', async (_, url, reason) => {
    const policy = policyOf(`log ${exampleKey().vkey}\n${witness.line.replace(witness.url, url)}quorum w9\n`)
    const error = await start(policy).catch((refused: Error) => refused)
    expect(error).toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(
        `SERVICE_WITNESS_POLICY_FILE: policy: the URL of witness w9 ${reason}`,
      ) as string,
    })
    expect(String((error as Error).message)).not.toContain('secret')
  })

  it('with several keys of one URL takes one request', async () => {
    const second = await startStubWitness(exampleKey().vkey, { seed: 8, name: 'witness.example/w2' })
    try {
      const shared = second.line.replace(second.url, witness.url)
      witness.misbehave((honest) => honest)
      const text = `log ${exampleKey().vkey}\n${witness.line}${shared}group both any w9 w8\nquorum both\n`
      const signer = await start(policyOf(text))
      await answered(200)
      await expect.poll(cosignedSizes, { interval: 1 }).toHaveLength(1)
      expect((await signer.newestCosigned())!.size).toBe((await signer.newest())!.size)
      expect(opened!.lines).toMatchObject([{ reason: 'its answer has no cosignature of witness.example/w2' }])
    } finally {
      await second.close()
    }
  })

  it.each([
    ['none of the keys', () => `log ${exampleKey(5).vkey}\nquorum none\n`, 'it lists none of the keys'],
    ['an invalid line', () => 'quorum none\nlog x\n', 'line 2 of the policy: '],
  ])('with %s ends the start', async (_, text, message) => {
    await expect(start(policyOf(text()))).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(`SERVICE_WITNESS_POLICY_FILE: policy: ${message}`) as string,
    })
  })

  it('has at most 36 witnesses and keys of the log', async () => {
    const lines = await Promise.all(
      Array.from({ length: 33 }, async (_, n) => {
        const { vkey } = await witnessKey(`witness.example/${n}`, n + 10)
        return `witness w${n} ${vkey.text}\n`
      }),
    )
    const keys = [1, 2, 3, 4].map((byte) => exampleKey(byte))
    const policyOfWitnesses = (count: number) =>
      policyOf(`log ${exampleKey().vkey}\n${lines.slice(0, count).join('')}quorum none\n`)
    opened = await startSpecSigner(fresh, { keys, policy: policyOfWitnesses(32) })
    await expect(startSpecSigner(fresh, { keys, policy: policyOfWitnesses(33) })).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(
        'it has 33 witnesses, and this log 4 keys: together they may be at most 36',
      ) as string,
    })
  })

  it('decides whose cosignatures are written, whatever an earlier policy had', async () => {
    const signer = await start()
    const { size } = (await signer.newest())!
    await expect.poll(cosignedSizes, { interval: 1 }).toEqual([size])
    const stored = { line: '— former AAAAAAAA', at: START / 1000, key_name: 'former' }
    const cosignatures = Array.from({ length: 40 }, (_, n) => ({ ...stored, key_id: `000000${n + 10}` }))
    await fresh.service.commit.keepCosignatures(SYSTEM, { size, cosignatures })
    const names = (found: readonly { readonly key_name: string }[]) => found.map(({ key_name }) => key_name)
    expect(names((await signer.newest())!.cosignatures)).toEqual(['witness.example/w1'])
    expect(names((await signer.newestCosigned())!.cosignatures)).toEqual(['witness.example/w1'])
    // Without a policy, no more than any policy may have.
    const { signer: other } = await startSpecSigner(fresh)
    expect((await other.newest())!.cosignatures).toHaveLength(32)
  })

  it('is not met by cosignatures without a time', async () => {
    const signer = await start(
      policyOf(`log ${exampleKey().vkey}\n${witness.line.replace(witness.url, '')}quorum w9\n`),
    )
    const { size } = (await signer.newest())!
    const [key_name = '', key_id = ''] = witness.vkey.split('+')
    const line = `— ${key_name} AAAAAAAA`
    await fresh.service.commit.keepCosignatures(SYSTEM, { size, cosignatures: [{ key_name, key_id, line, at: 0 }] })
    expect(await signer.newestCosigned()).toBeNull()
  })

  it('is not met by a checkpoint of a former name of the log', async () => {
    const signer = await start()
    await expect.poll(cosignedSizes, { interval: 1 }).toHaveLength(1)
    const former = (await signer.newestCosigned())!
    await signer.close()
    const renamed = exampleKey(1, 'results.example/log/2')
    const line = witness.line.replace(witness.url, '')
    opened = await startSpecSigner(fresh, {
      keys: [renamed],
      policy: policyOf(`log ${renamed.vkey}\n${line}quorum w9\n`),
    })
    const next = opened.signer
    expect((await next.newest())!.size).toBeGreaterThan(former.size)
    expect(await next.newestCosigned()).toBeNull()
    expect((await next.covering(former.size)).note).toMatch(/^results\.example\/log\/2\n/)
  })

  it('without a quorum takes every checkpoint', async () => {
    const signer = await start(policyOf(`log ${exampleKey().vkey}\nquorum none\n`))
    expect((await signer.newestCosigned())!.size).toBe((await signer.newest())!.size)
    expect(signer.status().unwitnessed_since).toBeNull()
  })
})
