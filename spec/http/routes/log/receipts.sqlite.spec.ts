import { hash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { checkReceipt } from '../../../../domain/proof/check.ts'
import { parseVkey } from '../../../../domain/proof/keys.ts'
import { parsePolicy } from '../../../../domain/proof/policy.ts'
import { startedTokens } from '../../../../http/identity/static-tokens.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { hashOfToken, newApiKey, shownPrefixOf } from '../../../../http/identity/secrets.ts'
import type { OpenService } from '../../../../runtime/services.ts'
import { nodeCrypto } from '../../../../storage/log/proof-crypto.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { openSigningApp } from '../../../support/proof/signing-app.ts'
import type { Caller, Send, SpecApp } from '../../../support/servers/app.ts'
import { wrapCalls } from '../../../support/wrap-calls.ts'

const NOW = Date.UTC(2026, 4, 5)
const UPLOADER_ONLY = { error: 'only who uploaded this run, or an admin, may have its receipt' }
const ERASED = { error: 'receipt not found: the record was erased' }
const clock = NOW
afterAll(() => spec.close())

const json = { 'content-type': 'application/json' }
const asJson = { accept: 'application/json' }

/** Uploads a run, and returns the bytes of its document. */
const upload = async (send: Send, run_id: string, more: object = {}): Promise<string> => {
  const body = JSON.stringify(aDocument({ run_id, ...more }))
  const { statusCode } = await send('POST', '/runs', { headers: json, body })
  expect(statusCode).toBe(201)
  return body
}

const receiptOf = async (send: Send, run_id: string, query = ''): Promise<string> => {
  const answer = await send('GET', `/runs/${encodeURIComponent(run_id)}/receipt${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.body
}

const trust = async (policy: string | null = null) => ({
  keys: [await parseVkey(app.vkeys.log, nodeCrypto)],
  policy: policy === null ? null : await parsePolicy(policy, nodeCrypto),
})

const digestOf = (document: string) => ({ bytes: Buffer.byteLength(document), sha256: hash('sha256', document) })

/** Erases the body of a record in the tables alone: nothing may be recorded after it. */
const erase = async ({ rows, execute }: SpecApp, seq: number): Promise<void> => {
  const hashes = Buffer.alloc(32)
  await rows(
    'INSERT INTO events (seq, recorded_at, type, commitment, leaf) VALUES ($1, $2, $3, $4, $4) RETURNING seq',
    [seq + 1, NOW, 'EventErased', hashes],
  )
  await rows('INSERT INTO event_bodies (seq, stream, version, salt, body) VALUES ($1, $2, 1, $3, $4) RETURNING seq', [
    seq + 1,
    'erasure/e1',
    hashes.subarray(16),
    JSON.stringify({ data: { seq } }),
  ])
  await execute(`DELETE FROM event_bodies WHERE seq = ${seq}`)
}

type Starting = Pick<OpenService, 'reader' | 'commit'>

/** Records a start with these static tokens. */
const start = async ({ reader, commit }: Starting, tokens: Parameters<typeof startedTokens>[1]): Promise<void> => {
  await commit.recordStart(SYSTEM, {
    instance: 'i',
    config_sha256: '0'.repeat(64),
    schema: 1,
    version: '1',
    ...(await startedTokens(reader, tokens)),
  })
}
const app = await openSigningApp({ now: () => clock })
const spec = app.spec
const ann = await spec.addUser('ann')
const ben = await spec.addUser('ben')
const boss = await spec.addUser('boss', 'admin')

describe('the receipt of a run that a static token uploaded', () => {
  const tokens = (...secrets: readonly string[]) =>
    secrets.map((secret, i) => ({ scope: 'write' as const, secret, position: i + 1 }))
  const status = async (send: Send, run_id: string): Promise<number> =>
    (await send('GET', `/runs/${run_id}/receipt`)).statusCode

  it('is for this token, and not for another one that has its place in the list later', async () => {
    const own = await openSigningApp({ now: () => clock, mode: 'closed', tokens: tokens('first', 'second') })
    try {
      const [first, second] = [own.spec.sendWithToken('first'), own.spec.sendWithToken('second')]
      await upload(first, 'of-first')
      await upload(second, 'of-second')
      expect(await Promise.all([status(first, 'of-first'), status(second, 'of-first')])).toEqual([200, 403])

      // A restart with the same list, and one with another first token and with the former one again.
      await start(own.spec.service, tokens('first', 'second'))
      expect(await status(first, 'of-first')).toBe(200)
      await start(own.spec.service, tokens('other', 'second'))
      // This replica still has the former list: its token is not the one that the id belongs to now.
      expect(await Promise.all([status(first, 'of-first'), status(second, 'of-second')])).toEqual([403, 200])
      await start(own.spec.service, tokens('first', 'second'))
      expect(await status(first, 'of-first')).toBe(403)
      await upload(first, 'later')
      expect(await status(first, 'later')).toBe(200)
    } finally {
      await own.spec.close()
    }
  })
})

it('static tokens of replicas that start at once keep the first note, so that no upload in between is lost', async () => {
  const own = await openSigningApp({ now: () => clock, mode: 'closed', tokens: [] })
  try {
    const { service } = own.spec
    const list = [{ scope: 'write' as const, secret: 'shared', position: 1 }]
    let isFirst = true
    // The other replica stores the token, and records something, between the read and the commit of this one.
    const slow: Starting = {
      reader: service.reader,
      commit: wrapCalls(service.commit, async ({ run }) => {
        if (isFirst) {
          isFirst = false
          await start(service, list)
          await service.commit.restrictSet(SYSTEM, { project: 'between', suite: null })
        }
        return run()
      }),
    }
    const { size } = await service.head()
    await start(slow, list)
    expect(await own.spec.rows('SELECT id, since_seq FROM static_tokens')).toEqual([
      { id: 'static:write:1', since_seq: size + 1 },
    ])
  } finally {
    await own.spec.close()
  }
})

describe('GET /runs/{id}/receipt', () => {
  it('proves that a document was recorded', async () => {
    const document = await upload(ann.send, 'proven/ä')
    const { size } = await app.sign()
    const text = await receiptOf(ann.send, 'proven/ä')
    const checked = await checkReceipt(text, { ...(await trust()), document: digestOf(document) }, nodeCrypto)
    expect(checked).toMatchObject({ document: 'matches', index: size - 1, checkpoint: { size } })
    expect(JSON.parse(checked.opening.body)).toMatchObject({
      actor: { user_id: 'ann' },
      data: { document_bytes: Buffer.byteLength(document) },
      stream: 'run/proven%2F%C3%A4',
    })
  })

  it('is text in a file named after the run, and never kept by a cache', async () => {
    await upload(ann.send, 'named "a"')
    const { headers } = await ann.send('GET', `/runs/${encodeURIComponent('named "a"')}/receipt`)
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="named%20%22a%22.tlog-proof"',
      'cache-control': 'private, no-store',
      vary: 'Authorization, Cookie, Accept-Encoding, Accept',
    })
  })

  it('is also JSON with the same parts', async () => {
    await upload(ann.send, 'as json')
    const text = await receiptOf(ann.send, 'as json')
    const answer = await ann.send('GET', '/runs/as%20json/receipt', { headers: asJson })
    expect(answer.headers['content-type']).toBe('application/json')
    const receipt = answer.json<{
      index: number
      size: number
      root: string
      leaf: string
      proof: string[]
      checkpoint: string
      opening: object
    }>()
    const [, extra = '', index, ...rest] = text.slice(0, text.indexOf('\n\n')).split('\n')
    expect(receipt.opening).toEqual(JSON.parse(Buffer.from(extra.slice('extra '.length), 'base64').toString()))
    expect([`index ${receipt.index}`, receipt.proof]).toEqual([index, rest])
    expect(text.slice(text.indexOf('\n\n') + 2)).toBe(receipt.checkpoint)
    const [, size, root] = receipt.checkpoint.split('\n')
    expect([String(receipt.size), receipt.root]).toEqual([size, root])
    const [stored] = await spec.column('SELECT leaf FROM events WHERE seq = $1', [receipt.index + 1])
    expect(receipt.leaf).toBe((stored as Buffer).toString('base64'))
  })

  it('signs a checkpoint only if none covers the record', async () => {
    await upload(ann.send, 'first')
    await upload(ann.send, 'second')
    const sizes = async () => (await spec.column('SELECT size FROM checkpoints ORDER BY size')).length
    const before = await sizes()
    await receiptOf(ann.send, 'second')
    expect(await sizes()).toBe(before + 1)
    await receiptOf(ann.send, 'first')
    await receiptOf(ann.send, 'second')
    expect(await sizes()).toBe(before + 1)
  })

  it('prefers the newest checkpoint that meets the witness policy', async () => {
    await upload(ann.send, 'witnessed')
    const waiting = await ann.send('GET', '/runs/witnessed/receipt?cosigned=true')
    expect([waiting.statusCode, waiting.headers['retry-after']]).toEqual([503, '1'])
    expect(waiting.json()).toEqual({ error: 'no cosigned checkpoint covers this record yet; try again' })
    const cosigned = await app.sign()
    await app.cosign(cosigned)
    await upload(ann.send, 'later')
    expect((await app.sign()).size).toBeGreaterThan(cosigned.size)
    for (const query of ['', '?cosigned=true']) {
      const checked = await checkReceipt(
        await receiptOf(ann.send, 'witnessed', query),
        await trust(app.policy),
        nodeCrypto,
      )
      expect(checked.checkpoint).toMatchObject({ size: cosigned.size, witnesses: [{ name: 'witness.example/w1' }] })
    }
    expect((await ann.send('GET', '/runs/later/receipt?cosigned=true')).statusCode).toBe(503)
  })

  it('proves the upload that stands', async () => {
    await upload(ann.send, 'again')
    const first = await receiptOf(ann.send, 'again')
    expect((await boss.send('DELETE', '/runs/again')).statusCode).toBe(204)
    const gone = await ann.send('GET', '/runs/again/receipt')
    expect([gone.statusCode, gone.json()]).toEqual([404, { error: 'run not found' }])
    await upload(ann.send, 'again')
    const second = await checkReceipt(await receiptOf(ann.send, 'again'), await trust(), nodeCrypto)
    expect(second.index).toBeGreaterThan((await checkReceipt(first, await trust(), nodeCrypto)).index)
    expect(JSON.parse(second.opening.body)).toMatchObject({ version: 3 })
  })

  it('is only for who uploaded the run, with any credential, and for who sees everything', async () => {
    await upload(ann.send, 'of ann')
    const key = newApiKey()
    await spec.service.commit.mintKey(ann.viewer, {
      at: 0,
      key_id: 'key of ann',
      name: null,
      scope: 'read',
      prefix: shownPrefixOf(key),
      secret_hash: hashOfToken(key),
    })
    for (const send of [ann.send, spec.sendWithToken(key), boss.send, spec.sendAs('admin')])
      await receiptOf(send, 'of ann')
    for (const send of [ben.send, spec.sendAs('read'), spec.sendAs('write')]) {
      const answer = await send('GET', '/runs/of%20ann/receipt')
      expect([answer.statusCode, answer.json()]).toEqual([403, UPLOADER_ONLY])
    }
    await upload(spec.sendAs('write'), 'of a token')
    await receiptOf(spec.sendAs('write'), 'of a token')
    for (const send of [ann.send, spec.sendAs('read')])
      expect((await send('GET', '/runs/of%20a%20token/receipt')).statusCode).toBe(403)
  })

  it('is not for anonymous callers, even of runs that such callers uploaded', async () => {
    const open = await openSigningApp({ mode: 'open' })
    await upload(open.spec.sendAs(null), 'anonymous')
    for (const caller of [null, 'read', 'write'] as const satisfies readonly Caller[])
      expect((await open.spec.sendAs(caller)('GET', '/runs/anonymous/receipt')).json()).toEqual(UPLOADER_ONLY)
    await receiptOf(open.spec.sendAs('admin'), 'anonymous')
    await open.spec.close()
  })

  it('is the same answer for a hidden run as for none, also for its uploader', async () => {
    await upload(ann.send, 'hidden', { project: 'secret' })
    await spec.restrict('secret')
    const bytes = async (send: Send, id: string, query: string) => {
      const answer = await send('GET', `/runs/${id}/receipt${query}`, {
        headers: { 'x-request-id': 'mine', ...(query === '' ? {} : asJson) },
      })
      return { status: answer.statusCode, body: answer.body, headers: { ...answer.headers, date: '' } }
    }
    for (const send of [ann.send, ben.send, spec.sendAs('read'), spec.sendAs('write')])
      for (const query of ['', '?cosigned=true']) {
        const hidden = await bytes(send, 'hidden', query)
        expect(hidden).toEqual(await bytes(send, 'absent', query))
        expect(hidden).toMatchObject({ status: 404, body: '{"error":"run not found"}' })
      }
    await receiptOf(boss.send, 'hidden')
    await spec.grant('ann', 'view', 'secret')
    await receiptOf(ann.send, 'hidden')
    await spec.grant('ben', 'manage', 'secret')
    expect((await ben.send('GET', '/runs/hidden/receipt')).json()).toEqual(UPLOADER_ONLY)
  })

  it('is only for admins where the service says so', async () => {
    const strict = await openSigningApp({ proof: { checkpointAccess: 'admin', receipts: 'admin' } })
    await upload(strict.spec.sendAs('write'), 'strict')
    const refused = await strict.spec.sendAs('write')('GET', '/runs/strict/receipt')
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      { error: 'only an admin may have the receipt of a run' },
    ])
    expect((await strict.spec.sendAs('write')('GET', '/runs/absent/receipt')).statusCode).toBe(404)
    await receiptOf(strict.spec.sendAs('admin'), 'strict')
    await strict.spec.close()
  })
})

it('an erased record has no receipt any more', async () => {
  const erased = await openSigningApp({ now: () => clock })
  // Uploaded, deleted and uploaded again: the record of the first upload still has its body.
  await upload(erased.spec.sendAs('write'), 'erased')
  await erased.spec.sendAs('admin')('DELETE', '/runs/erased')
  await upload(erased.spec.sendAs('write'), 'erased')
  const { size } = await erased.sign()
  await receiptOf(erased.spec.sendAs('write'), 'erased')
  await erase(erased.spec, size)
  const get = async (caller: Caller, path: string) => {
    const answer = await erased.spec.sendAs(caller)('GET', path)
    return [answer.statusCode, answer.json<unknown>()]
  }
  expect(await get('admin', '/runs/erased/receipt')).toEqual([404, ERASED])
  expect(await get('admin', `/log/records/${size}/receipt`)).toEqual([404, ERASED])
  // Who uploaded it is erased too.
  expect(await get('write', '/runs/erased/receipt')).toEqual([404, ERASED])
  await erased.spec.close()
})

it('GET /log/records/{seq}/receipt proves any record, for who sees everything', async () => {
  const [started] = await spec.rows("SELECT seq FROM events WHERE type = 'Started'")
  const answer = await boss.send('GET', `/log/records/${String(started?.['seq'])}/receipt`)
  expect(answer.headers['content-disposition']).toBe('attachment; filename="record-1.tlog-proof"')
  const { opening, index } = await checkReceipt(answer.body, await trust(), nodeCrypto)
  expect([opening.type, index]).toEqual(['Started', 0])
  for (const seq of ['999999', '0', 'x', '01'])
    expect((await boss.send('GET', `/log/records/${seq}/receipt`)).json()).toEqual({ error: 'record not found' })
})

describe('GET /plans/{id}/receipt', () => {
  const registered = async (send: Send, project = 'planned'): Promise<string> => {
    const body = JSON.stringify({ project, suite: 'smoke', text: 'At least nine of ten.' })
    const answer = await send('POST', '/plans', { headers: json, body })
    expect(answer.statusCode).toBe(201)
    return answer.json<{ id: string }>().id
  }
  const receipt = (send: Send, id: string) => send('GET', `/plans/${id}/receipt`)

  it('proves that the plan was recorded before a run that follows it', async () => {
    const id = await registered(ann.send)
    await upload(ann.send, 'follows', { project: 'planned', suite: 'smoke' })
    const answer = await receipt(ann.send, id)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="plan-${id}.tlog-proof"`,
      'cache-control': 'private, no-store',
    })
    const document = { bytes: 21, sha256: hash('sha256', 'At least nine of ten.') }
    const plan = await checkReceipt(answer.body, { ...(await trust()), document }, nodeCrypto)
    const run = await checkReceipt(await receiptOf(ann.send, 'follows'), await trust(), nodeCrypto)
    expect(plan).toMatchObject({ document: 'matches', opening: { type: 'PlanRegistered' } })
    expect(plan.index).toBeLessThan(run.index)
    expect((await ann.send('GET', `/plans/${id}/receipt`, { headers: asJson })).json()).toMatchObject({
      index: plan.index,
    })
  })

  it('is for who registered the plan, and for admins', async () => {
    const id = await registered(ann.send)
    expect((await receipt(boss.send, id)).statusCode).toBe(200)
    const refused = await receipt(ben.send, id)
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      { error: 'only who registered this plan, or an admin, may have its receipt' },
    ])
  })

  it('is absent for a hidden plan as for an unknown one', async () => {
    const id = await registered(boss.send, 'planned in secret')
    await spec.restrict('planned in secret')
    for (const plan of [id, 'nothing']) {
      const answer = await receipt(ben.send, plan)
      expect([answer.statusCode, answer.body]).toEqual([404, '{"error":"plan not found"}'])
    }
  })
})
