import { hash } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EVENT_NAMES } from '../../../commands/events.ts'
import type { Trust } from '../../../domain/proof/check.ts'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { CLI, SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { openWriterOnSqlite } from '../../../runtime/writer/sqlite.ts'
import { event } from '../../../storage/log/event.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { signingGuardOf, writeSigningGuard } from '../../../storage/sqlite/signing-guard.ts'
import { RELEASED } from '../../commands/released-shapes.ts'
import { viewerOf } from '../access/accounts.ts'
import { aDocument } from '../documents/documents.ts'
import { aPlan } from '../documents/plans.ts'
import { aQueue } from '../documents/queues.ts'
import { aRubric, RUBRIC_FIELDS } from '../documents/rubrics.ts'
import { putEmptyStore } from '../stores/empty-stores.ts'
import { aCommand, commitAll, steppingClock } from '../stores/store.ts'
import { logKey, timeLine, witnessKey, type SpecKey } from './keys.ts'

const ORIGIN = 'results.example/log'
const SET = { project: 'chat', suite: 'smoke' } as const

/** A closed store with a record of every type. */
export type WholeStore = {
  readonly file: string
  /** Copies of the file from before, the oldest first. Each is a consistent store. */
  readonly older: readonly string[]
  readonly policy: Trust
  /** The sizes of the kept checkpoints. */
  readonly sizes: readonly number[]
}

/** Lines of different lengths, which compress well, so that a document of several frames is a small file. */
const spaces = (bytes: number): string => {
  let text = ''
  for (let n = 0; text.length < bytes; n++) text += `\n${' '.repeat((n * 37) % 1009)}`
  return text.slice(0, bytes)
}

const as = (user_id: string, credential_id: string): Viewer =>
  viewerOf({ kind: 'session', credential_id, user_id, scope: 'write' }, null)

/** A queue of one case that people labelled with comments. */
const review = async ({ commit, reader }: OpenService): Promise<void> => {
  const why = { key: 'why', kind: 'comment', label: 'Why?' } as const
  await commit.createRubric(CLI, aRubric({ rubric_id: 'rubric-3', questions: [...RUBRIC_FIELDS.questions, why] }))
  const { run_no = 0, document_sha256 = '' } = (await reader.read(findRun(CLI, 'large'))) ?? {}
  const people = ['ada', 'bea', 'cyd', 'dee'].map((name) => ({ name, role: 'reviewer' as const }))
  const run = { run_no, document_sha256, judge_id: null, passed: 1, failed: 0, other: 0 }
  await commit.openReviewQueue(
    CLI,
    aQueue({ rubric_id: 'rubric-3', per_item: 5, runs: [run], people: [...people, { name: 'eli', role: 'reviewer' }] }),
  )
  for (const [n, [user_id, session_id]] of (
    [
      ['ada', 'session-1'],
      ['bea', 'session-4'],
      ['cyd', 'session-6'],
    ] as const
  ).entries())
    await commit.labelItem(as(user_id, session_id), {
      ...{ queue_id: 'queue', n: 1, label_id: `label-${n}`, answers: { right: 'pass', why: `Because ${n}.` } },
      ...{ seconds: 4, recognised: false, revises: null, isClosed: true },
    })
}

/** The acts of people and runs: those of every type that changes a read table, but for keys and erasures. */
const act = async (service: OpenService): Promise<void> => {
  const { commit, reader } = service
  const upload = (
    run_id: string,
    more: object = {},
    padding = 0,
    viewer: Viewer = CLI,
    plan_id: string | null = null,
  ) =>
    commit.ingestRun(viewer, {
      body: Buffer.from(JSON.stringify(aDocument({ run_id, ...SET, ...more })) + spaces(padding)),
      encoding: null,
      plan_id,
    })
  for (const user_id of ['ada', 'bea', 'cyd'])
    await commit.createUser(CLI, { user_id, username: user_id, password_hash: `hash of ${user_id}`, role: 'member' })
  for (const [user_id, session_id] of [
    ['ada', 'session-1'],
    ['ada', 'session-2'],
    ['ada', 'session-3'],
    ['bea', 'session-4'],
    ['bea', 'session-5'],
    ['cyd', 'session-6'],
  ] as const)
    await commit.signIn(CLI, {
      user_id,
      password_hash: `hash of ${user_id}`,
      session_id,
      token_hash: `token of ${session_id}`,
    })
  await commit.signOut(as('ada', 'session-2'), {})
  await commit.endSessions(as('bea', 'session-4'), { at: 1_777_885_244_000 })
  for (const [key_id, user_id] of [
    ['key-1', 'ada'],
    ['key-2', 'ada'],
    ['key-3', 'cyd'],
  ] as const)
    await commit.mintKey(as(user_id, user_id === 'ada' ? 'session-1' : 'session-6'), {
      at: 0,
      key_id,
      name: key_id,
      scope: 'read',
      prefix: `ers_${key_id}`,
      secret_hash: `secret of ${key_id}`,
    })
  await commit.revokeKey(as('ada', 'session-1'), { key_id: 'key-2' })
  for (const n of [1, 2, 3, 4])
    await commit.createWebhook(as('ada', 'session-1'), {
      webhook_id: `webhook-${n}`,
      events: ['run.ingested'],
      project: null,
      suite: null,
      sealed: `sealed ${n}`,
    })
  await commit.replaceWebhookSecret(as('ada', 'session-1'), {
    webhook_id: 'webhook-2',
    former: 'sealed 2',
    sealed: 'sealed 2 again',
  })
  await commit.deleteWebhook(as('ada', 'session-1'), { webhook_id: 'webhook-3' })
  await commit.noteDelivery(SYSTEM, {
    delivery_id: 'none',
    webhook_id: 'webhook-4',
    at: 1_777_885_244_000,
    status: 410,
    error: 'status',
    next_at: null,
  })
  for (const n of [1, 2])
    await commit.signInWithIdentity(SYSTEM, {
      session_id: `session-of-identity-${n}`,
      token_hash: `token of identity ${n}`,
      at: 1_777_885_244_000,
      provider: 'oidc:corp',
      subject: `subject ${n}`,
      salt: `${n}`.repeat(32),
      email: null,
      role: 'member',
      rule: 'default_role',
      usernames: [`person-${n}`],
      expected: null,
      identity_id: `identity-${n}`,
      user_id: `person-${n}`,
      replay: null,
    })
  await commit.createUser(CLI, { user_id: 'dee', username: 'dee', password_hash: 'hash of dee', role: 'admin' })
  const dee = as('dee', 'session-7')
  await commit.signIn(CLI, {
    ...{ user_id: 'dee', password_hash: 'hash of dee', session_id: 'session-7', token_hash: 'token of session-7' },
  })
  for (const n of [1, 2, 3, 4])
    await commit.makeInvite(dee, {
      ...{ link_id: `link-${n}`, secret_sha256: `secret ${n}`, label: `For ${n}`, role: 'viewer', grants: [] },
      ...{ expires_at: null, at: 0 },
    })
  await commit.acceptInvite(SYSTEM, {
    ...{ secret_sha256: 'secret 1', user_id: 'eli', username: 'eli', password_hash: 'hash of eli' },
    ...{ session_id: 'session-8', token_hash: 'token of session-8', at: 1 },
  })
  await commit.revokeLink(dee, { link_id: 'link-2' })
  await commit.makeResetLink(dee, { user_id: 'eli', link_id: 'link-5', secret_sha256: 'secret 5', at: 0 })
  await commit.changeUser(CLI, { user_id: 'bea', role: 'viewer', disabled: null, password_hash: 'another hash' })
  await commit.restrictSet(CLI, { project: 'secret', suite: null })
  await commit.restrictSet(CLI, { project: 'open', suite: null })
  await commit.liftRestriction(CLI, { project: 'open', suite: null })
  for (const user_id of ['ada', 'bea', 'cyd'])
    await commit.grantAccess(CLI, { project: 'secret', suite: null, user_id, level: 'upload' })
  await commit.revokeAccess(CLI, { project: 'secret', suite: null, user_id: 'bea' })

  const rule = { metric: 'pass_rate', comparator: '>=', threshold: 0.5, case_count: 1 } as const
  await commit.registerPlan(CLI, aPlan({ plan_id: 'plan-1', config_digest: 'sha256:planned', ...rule }))
  await commit.registerPlan(CLI, aPlan({ plan_id: 'plan-2', text: 'Read 40 cases.' }))
  const text = 'All cases of the suite.'
  const plan_sha256 = hash('sha256', text, 'hex')
  await commit.registerPlan(CLI, aPlan({ plan_id: 'plan-3', text: null, plan_sha256 }))
  await commit.revealPlan(CLI, { plan_id: 'plan-3', set: SET, text })
  await commit.withdrawPlan(CLI, { plan_id: 'plan-2', set: SET })
  await commit.registerPlan(CLI, aPlan({ plan_id: 'plan-4', text: null, plan_sha256: '5'.repeat(64) }))

  await commit.createRubric(CLI, aRubric({ rubric_id: 'rubric-1' }))
  await commit.createRubric(CLI, aRubric({ rubric_id: 'rubric-2', name: 'Tone', text: 'Kind words.' }))
  const { text: sharper, ...fields } = aRubric({ text: 'Kind words, and no blame.' })
  await commit.changeRubric(CLI, { ...fields, rubric_id: 'rubric-2', set: SET, change: 'wording', text: sharper })
  await commit.retireRubric(CLI, { rubric_id: 'rubric-1', set: SET })

  await upload('planned', { config_digest: 'sha256:planned' })
  await upload('planned-and-deleted', { config_digest: 'sha256:planned', note: 'second' })
  await upload('large', {}, 700_000)
  await upload('larger', {}, 900_000)
  await upload('of-cyd', { suite: 'full' }, 0, as('cyd', 'session-6'))
  await upload('pinned')
  await upload('held', { project: 'kept' })
  await upload('gone')
  await upload('erased')
  await commit.deleteRun(CLI, { run_id: 'planned-and-deleted' })
  await commit.deleteRun(CLI, { run_id: 'gone' })
  await upload('gone', { note: 'again' })
  for (const [n, [run_id, viewer]] of (
    [
      ['large', CLI],
      ['large', as('cyd', 'session-6')],
      ['large', CLI],
      ['erased', CLI],
      ['gone', CLI],
    ] as const
  ).entries())
    await commit.annotateRun(viewer, {
      ...{ annotation_id: `annotation-${n}`, run_id, set: SET },
      ...{ title: `Title ${n}`, add_tags: [`added-${n}`], remove_tags: [] },
    })
  for (const [n, [run_id, case_key, viewer]] of (
    [
      ['large', null, CLI],
      ['large', 'case-1', as('cyd', 'session-6')],
      ['large', 'case-2', CLI],
      ['large', null, CLI],
      ['erased', null, CLI],
      ['gone', null, CLI],
    ] as const
  ).entries()) {
    const { run_no = 0 } = (await reader.read(findRun(CLI, run_id))) ?? {}
    await commit.commentOnRun(viewer, {
      ...{ comment_id: `comment-${n}`, run_id, run_no, set: SET, case_key, text: `Comment ${n}` },
    })
  }
  await commit.deleteComment(CLI, { run_id: 'large', comment_id: 'comment-3' })
  await review(service)
  for (const [n, [suite, viewer]] of (
    [
      [SET.suite, CLI],
      [SET.suite, CLI],
      ['full', as('cyd', 'session-6')],
    ] as const
  ).entries())
    await commit.changeSuiteSettings(viewer, {
      ...{ ...SET, suite, at: 0, owner: `Owner ${n}`, snooze: null, archive: { why: `Why ${n}` } },
      ...{ cost: { rise_percent: 40 + n }, latency: n === 0 ? { rise_percent: 50 } : null },
      change_ids: {
        ...{ owner: `owner-${n}`, snooze: `snooze-${n}`, archive: `archive-${n}` },
        ...{ cost: `cost-${n}`, latency: `latency-${n}` },
      },
    })
  for (const is_judge of [true, false]) await commit.declareJudge(CLI, { ...SET, metric: 'sql', is_judge })
  await commit.pinBaseline(CLI, { ...SET, run_id: 'pinned' })
  await commit.pinBaseline(CLI, { ...SET, suite: 'full', run_id: 'of-cyd' })
  await commit.unpinBaseline(CLI, { ...SET, suite: 'full' })
  for (const [n, suite] of [SET.suite, 'full', 'full'].entries())
    await commit.mintBadgeKey(CLI, { ...SET, suite, key_sha256: String(n).repeat(64) })
  await commit.revokeBadgeKeys(CLI, { ...SET, suite: 'full' })
  await commit.placeHold(CLI, {
    hold_id: 'h1',
    run_id: 'held',
    project: null,
    suite: null,
    reference: 'a',
    note: 'b',
  })
  await commit.placeHold(CLI, {
    hold_id: 'h2',
    run_id: null,
    project: 'kept',
    suite: null,
    reference: 'a',
    note: 'c',
  })
  await commit.placeHold(CLI, { hold_id: 'h3', run_id: null, ...SET, reference: 'a', note: null })
  await commit.liftHold(CLI, { hold_id: 'h3', reference: 'a' })
}

/** Records a sample of each type that no act above recorded: of those that only the audit trail shows, and of new ones. */
const recordSamples = async (file: string, now: () => number): Promise<void> => {
  const { writer, close } = await openWriterOnSqlite({ file, instance: 'i', now, onCommitted: () => {}, log: () => {} })
  const recorded = new Set(writer.connection.database.prepare('SELECT DISTINCT type FROM events').pluck().all())
  const missing = EVENT_NAMES.filter((name) => !recorded.has(name))
  const [outcome] = commitAll(writer, aCommand(missing.map((name) => event(`sample/${name}`, name, RELEASED[name][0]))))
  if (!outcome?.ok) throw new Error('the samples were not recorded', { cause: outcome?.error })
  await close()
}

/** Erases a run, an account, and one record; some bodies leave what read tables need. */
const erase = async ({ commit }: OpenService): Promise<void> => {
  await commit.deleteUser(CLI, { user_id: 'cyd' })
  for (const [erasure_id, target] of [
    ['e1', { run_id: 'erased' }],
    ['e2', { user_id: 'cyd' }],
    // A start, and the adoption of the first key.
    ['e3', { seqs: [1, 3] }],
  ] as const)
    await commit.eraseRecords(CLI, { erasure_id, target, reference: 'case-1', dry_run: false, after: 0 })
}

/** Two static tokens of a configuration; only the first start notes their secrets. */
const STATIC_TOKENS = {
  principals: [1, 2].map((n) => ({ id: `static:write:${n}`, kind: 'static' as const, label: 'write' })),
  tokens: [1, 2].map((n) => ({
    ...{ id: `static:write:${n}`, salt: `${n}`.repeat(32), digest: `${n}`.repeat(4) },
    replaces: null,
  })),
}

/** Records starts and refused sign-ins until the log has a size. */
const fill = async ({ commit, head }: OpenService, size: number): Promise<void> => {
  const { size: from } = await head()
  await Promise.all(
    Array.from({ length: size - from }, (_, n) =>
      n % 3 === 0
        ? commit.recordStart(SYSTEM, {
            instance: `i${n % 7}`,
            config_sha256: 'c',
            schema: 18,
            version: '1',
            ...STATIC_TOKENS,
          })
        : commit.refuseSignIn(SYSTEM, {
            attempt_id: `${from + n}`,
            count: 1,
            reason: 'unknown_user',
            user_id: null,
          }),
    ),
  )
}

const sign = async (
  { service, file }: { readonly service: OpenService; readonly file: string },
  keys: readonly SpecKey[],
  witnesses: readonly SpecKey[],
): Promise<number> => {
  const { size, root } = await service.head()
  const text = checkpointText({ origin: ORIGIN, size, root: Buffer.from(root, 'hex') })
  const note = signedNote(
    text,
    keys.map((key) => key.sign(text)),
  )
  await writeSigningGuard(signingGuardOf(file), note)
  const time_line = keys[0] ? await timeLine(keys[0], text, size) : null
  await service.commit.keepCheckpoint(SYSTEM, { size, root, signed_at: size * 1000, note, time_line })
  await service.commit.keepCosignatures(SYSTEM, {
    size,
    cosignatures: witnesses.map(({ vkey, sign: cosign }) => ({
      key_name: vkey.name,
      key_id: vkey.id,
      line: cosign(text),
      at: 1_777_885_300,
    })),
  })
  return size
}

/**
 * Makes a store in a folder: a record of every type, documents of several frames, two full tiles, plans, holds, erasures
 * that keep something and that keep nothing, checkpoints under two keys of a rotation with cosignatures of two witnesses,
 * and records after the last checkpoint.
 */
export const wholeStore = async (dataDir: string): Promise<WholeStore> => {
  const file = join(dataDir, 'service.db')
  putEmptyStore('service', file)
  const [first, second] = [await logKey(ORIGIN, 1), await logKey(ORIGIN, 2)]
  const [w1, w2] = [await witnessKey('witness.example/w1', 3), await witnessKey('witness.example/w2', 4)]
  const older: string[] = []
  const sizes: number[] = []
  const now = steppingClock()

  const stage = async (work: (at: { readonly service: OpenService; readonly file: string }) => Promise<void>) => {
    const service = await openService({ dataDir, now, checkRows: true, isNew: true })
    await work({ service, file })
    await service.close()
    older.push(`${file}.${older.length}`)
    copyFileSync(file, older.at(-1) ?? '')
  }
  const useKeys = ({ commit }: OpenService, keys: readonly SpecKey[]) =>
    commit.changeLogKeys(SYSTEM, {
      keys: keys.map(({ vkey: { id, text } }) => ({ key_id: id, origin: ORIGIN, vkey: text })),
      continues: null,
    })

  await stage(async (at) => {
    await fill(at.service, 2)
    await useKeys(at.service, [first])
    sizes.push(await sign(at, [first], []))
    await act(at.service)
    sizes.push(await sign(at, [first], [w1, w2]))
  })
  await stage(async (at) => {
    await useKeys(at.service, [first, second])
    sizes.push(await sign(at, [first, second], [w1]))
    await erase(at.service)
  })
  await stage(async (at) => {
    await useKeys(at.service, [second])
    await fill(at.service, 300)
    sizes.push(await sign(at, [second], [w1, w2]))
  })
  await recordSamples(file, now)
  await stage(async (at) => {
    await fill(at.service, 530)
    sizes.push(await sign(at, [second], [w1, w2]))
    await fill(at.service, 540)
  })
  rmSync(older.pop() ?? '')
  const policy = await parsePolicy(
    `log ${first.vkey.text}\nlog ${second.vkey.text}\nwitness w1 ${w1.vkey.text}\nwitness w2 ${w2.vkey.text}\ngroup both all w1 w2\nquorum both\n`,
    nodeCrypto,
  )
  return { file, older, sizes, policy: { keys: [], policy } }
}

/** The files of a directory beside the store: what the last commit and the last signature left. */
export const filesBeside = (file: string): { readonly head: string; readonly guard: string } => ({
  head: join(dirname(file), 'head'),
  guard: signingGuardOf(file),
})

/** The bytes of the files beside a store. */
export const readBeside = (file: string): { readonly head: Buffer; readonly guard: Buffer } => {
  const { head, guard } = filesBeside(file)
  return { head: readFileSync(head), guard: readFileSync(guard) }
}
