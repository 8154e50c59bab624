import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as commands from '../../commands/index.ts'
import { Refused } from '../../commands/refused.ts'
import { caseKey } from '../../domain/run/case-key.ts'
import { prepareRun } from '../../domain/run/prepare.ts'
import { setKey } from '../../domain/sets.ts'
import { addCounts, MAX_COUNT } from '../../domain/statistics/totals.ts'
import { rebuildTables } from '../../maintenance/rebuild/sqlite.ts'
import { project, projections } from '../../projections/index.ts'
import { listReadModels, markCurrent, newerProjections, outdatedModels } from '../../projections/models.ts'
import type { AnyCommand, Outcome, Ready } from '../../storage/command.ts'
import { DocumentDamaged, DocumentMissing } from '../../storage/documents/errors.ts'
import { listFramesAfter, rawFrame, SMALL_FRAMES } from '../../storage/documents/frames.ts'
import { Stale } from '../../storage/errors.ts'
import { event } from '../../storage/log/event.ts'
import { accountStep, commandOf, isUniqueViolation } from '../support/access/account-steps.ts'
import type { AccountStep } from '../support/access/account-steps.ts'
import { admin, member } from '../support/access/viewers.ts'
import { aCase, aDocument, realDocuments, theExample } from '../support/documents/documents.ts'
import { runCount } from '../support/random/runs.ts'
import { readTables } from '../support/stores/read-tables.ts'
import { aCommand, commitAll, onFile, openStore } from '../support/stores/store.ts'
import type { SpecStore } from '../support/stores/store.ts'

const bytesOf = (document: unknown): Buffer => Buffer.from(JSON.stringify(document))
const ingest = (body: Buffer) => commands.ingestRun(member, { body, encoding: null })

/** Prepares and commits commands as one group. A command whose preparation fails is not in the group. */
const commitGroup = async ({ writer }: SpecStore, group: readonly AnyCommand[]): Promise<Outcome[]> => {
  const ready: Ready[] = []
  const outcomes: Array<Outcome | null> = []
  for (const command of group) {
    try {
      const prepared = await command.prepare(writer)
      await (prepared as { pending?: Promise<unknown> } | null)?.pending
      ready.push({ command, prepared })
      outcomes.push(null)
    } catch (error) {
      outcomes.push({ ok: false, error })
    }
  }
  const committed = writer.commitGroup(ready)
  return outcomes.map((outcome) => outcome ?? committed.shift() ?? { ok: false, error: new Error('lost') })
}

const rebuildAll = ({ writer }: SpecStore): number => rebuildTables(writer)

class Interrupted extends Error {}

/** Interrupts a rebuild after the given number of small batches; returns whether it was interrupted. */
const rebuildPartly = ({ writer }: SpecStore, batches: number): boolean => {
  let done = 0
  const observe = (step: string): void => {
    if (step === 'swap' || (step === 'replayed' && done++ === batches)) throw new Interrupted()
  }
  try {
    rebuildTables(writer, { batch: { records: 2, bytes: 1e9 }, observe })
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
  return done > batches
}

// Text at the limits: empty, not ASCII, and, where it is legal, NUL and lone surrogates.
const name = fc.constantFrom('', 'smoke', 'ä/b', 'smoke test', '[x]', '\u{1f600}', 'ﬁne')
const freeText = fc.oneof(
  name,
  fc.constantFrom('a\0b', '\ud800 half', 'two\nlines', 'Ünïcode ½ ™', 'x'.repeat(400)),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const smallCount = fc.nat({ max: 50 })
/** Summary counts may be as large as a counter can be. Their sums are capped at that maximum. */
const summaryCount = fc.oneof(
  { weight: 5, arbitrary: smallCount },
  { weight: 1, arbitrary: fc.constantFrom(MAX_COUNT, MAX_COUNT - 1) },
)
const usd = fc.constantFrom(0, 0.0000004, 0.1, 1.25, -0.5)

const assertion = fc.record({
  kind: fc.constantFrom('contains', 'llm-rubric', 'regex'),
  status: fc.constantFrom('pass', 'fail', 'error', 'skipped'),
  score: fc.constantFrom(0, 0.5, 1),
  weight: fc.constant(1),
  reason: freeText,
})

const oneCase = fc
  .record({
    cell: fc.record({
      provider_id: fc.constantFrom('', 'small', 'großes Modell'),
      prompt_id: fc.constantFrom(null, '', 'terse'),
      test_id: fc.constantFrom('', 'a', 'b/c'),
      repeat: fc.nat({ max: 1 }),
    }),
    key: fc.constantFrom(null, null, 'same key', 'ключ'),
    status: fc.constantFrom('pass', 'fail', 'error', 'skip', 'xfail', 'xpass'),
    score: fc.constantFrom(0, 0.25, 1, 1e300),
    name: optional(freeText),
    tags: optional(fc.array(name, { maxLength: 3 })),
    output: optional(fc.oneof(freeText, fc.jsonValue(), fc.constant(null))),
    error: optional(freeText),
    prompt: optional(
      fc.oneof(
        freeText.map((text) => ({ text })),
        freeText.map((content) => ({ messages: [{ role: 'user', content }] })),
      ),
    ),
    asserts: optional(fc.array(assertion, { maxLength: 3 })),
    usage: optional(fc.record({ input_tokens: smallCount, output_tokens: smallCount })),
    cost_usd: optional(usd),
    latency_ms: smallCount,
    cached: optional(fc.boolean()),
    cache_key: optional(name),
    error_class: optional(name),
    empty_reason: optional(fc.constantFrom('', 'refusal', 'blank', '__proto__')),
    answered_by_provider_id: optional(name),
    prompt_digest: optional(freeText),
  })
  .map(({ key, ...fields }) => ({ ...fields, case_key: key ?? caseKey(fields.cell) }))

const oneDocument = fc
  .record({
    run_id: fc.constantFrom('r1', 'r2', 'ä/3'),
    project: fc.constantFrom(undefined, null, '', 'chat', 'chat', 'ä/b'),
    suite: fc.constantFrom(undefined, null, '', 'smoke', 'smoke'),
    started_at: fc.constantFrom('2026-05-04T09:00:00Z', '2026-05-04T11:00:00.123456789+02:00'),
    finished_at: fc.constantFrom('2026-05-04T09:00:01Z', '2026-05-04T09:00:01.5Z', '1969-12-31T23:59:59.999Z'),
    config_digest: freeText,
    config_snapshot: fc.oneof(fc.constant({ description: 'from the configuration' }), fc.jsonValue()),
    git: optional(fc.record({ branch: optional(name), commit: optional(freeText), dirty: fc.boolean() })),
    ci: optional(fc.record({ provider: optional(name), run_url: optional(freeText) })),
    origin: optional(fc.record({ actor: optional(name), note: optional(freeText), version: optional(freeText) })),
    digests: optional(fc.record({ prompts: optional(freeText), grader: optional(freeText) })),
    filters: optional(fc.record({ tags: optional(fc.array(name, { maxLength: 4 })) })),
    cases: fc.array(oneCase, { maxLength: 6 }),
    summary: fc.record({
      total: summaryCount,
      passed: summaryCount,
      failed: summaryCount,
      errored: smallCount,
      skipped: smallCount,
      cost_usd: optional(usd),
      cache_hits: smallCount,
    }),
  })
  .map((document) => ({ schema_version: 3, ...document }))

type Step =
  | { readonly do: 'ingest'; readonly document: ReturnType<typeof aDocument> }
  | { readonly do: 'respell' | 'change' | 'again' | 'delete' | 'pin'; readonly run_id: string }
  | { readonly do: 'unpin'; readonly suite: string }
  | { readonly do: 'account'; readonly step: AccountStep }
  | { readonly do: 'junk' }

const id = fc.constantFrom('r1', 'r2', 'ä/3')
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: oneDocument.map((document) => ({
      do: 'ingest' as const,
      document: document as unknown as ReturnType<typeof aDocument>,
    })),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'respell' as const,
        'change' as const,
        'again' as const,
        'delete' as const,
        'pin' as const,
        'pin' as const,
      ),
      run_id: id,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('unpin' as const), suite: fc.constantFrom('smoke', 'smoke', '') }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'junk' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('account' as const), step: accountStep }) },
)

/** Commands in groups of random size. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 10, size: 'max' })

/** For each group, the number of batches after which a rebuild is interrupted; null for no rebuild. */
const breaks = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 4 }) }),
  { maxLength: 10, size: 'max' },
)

/** The runs that must exist, with the uploaded bytes of each. */
type Model = Map<string, Buffer>

type PlannedCommand = { readonly command: AnyCommand; readonly body: Buffer | null }

const planOf = (action: Step, model: Model): PlannedCommand => {
  const uploaded = (body: Buffer): PlannedCommand => ({ command: ingest(body), body })
  const storedBytes = (run_id: string): Buffer => model.get(run_id) ?? bytesOf(aDocument({ run_id }))
  switch (action.do) {
    case 'ingest':
      return uploaded(bytesOf(action.document))
    case 'junk':
      return uploaded(Buffer.from('{"schema_version":3}'))
    case 'again':
      return uploaded(storedBytes(action.run_id))
    case 'respell':
      return uploaded(Buffer.concat([Buffer.from(' \n'), storedBytes(action.run_id)]))
    case 'change':
      return uploaded(bytesOf(aDocument({ run_id: action.run_id, config_digest: 'another' })))
    case 'delete':
      return { command: commands.deleteRun(admin, { run_id: action.run_id }), body: null }
    case 'pin':
      return {
        command: commands.pinBaseline(member, { project: 'chat', suite: 'smoke', run_id: action.run_id }),
        body: null,
      }
    case 'account':
      return { command: commandOf(action.step), body: null }
    case 'unpin':
      return { command: commands.unpinBaseline(member, { project: 'chat', suite: action.suite }), body: null }
  }
}

/** The totals of each set, counted from the documents. */
const recount = (model: Model): unknown[] => {
  const runs = [...model.values()].map((bytes) => prepareRun(bytes).run).filter(({ project }) => project !== null)
  const keyOf = (run: (typeof runs)[number]): string => setKey(run) ?? ''
  const newest = (a: (typeof runs)[number], b: (typeof runs)[number]): number =>
    b.created_at - a.created_at || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id))
  return [...Map.groupBy(runs, keyOf)]
    .map(([set_key, members]) => ({
      set_key,
      project: members[0]?.project,
      suite: members[0]?.suite,
      run_count: members.length,
      case_count: members.reduce((sum, run) => addCounts(sum, run.case_count), 0),
      pass_count: members.reduce((sum, run) => addCounts(sum, run.pass_count), 0),
      fail_count: members.reduce((sum, run) => addCounts(sum, run.fail_count), 0),
      error_count: members.reduce((sum, run) => sum + run.error_count, 0),
      empty_count: members.reduce((sum, run) => sum + run.empty_count, 0),
      latest: members.toSorted(newest)[0]?.id,
    }))
    .sort((a, b) => (a.set_key < b.set_key ? -1 : 1))
}

describe('replaying the log', () => {
  let store: SpecStore
  beforeEach(() => {
    store = openStore({ project })
  })
  afterEach(() => store.close())

  const tables = () => readTables(store.writer.connection.database)
  const column = (text: string): unknown[] => store.writer.connection.database.prepare(text).pluck().all()

  it('restores tables and totals of any history, even if interrupted and resumed', async () => {
    const counts = {
      ingested: 0,
      deleted: 0,
      reingested: 0,
      pinned: 0,
      unpinned: 0,
      silent: 0,
      refused: 0,
      interrupted: 0,
      accounts: 0,
    }
    await fc.assert(
      fc.asyncProperty(history, breaks, async (groups, interruptions) => {
        const run = openStore({ project })
        const model: Model = new Map()
        const everIngested = new Set<string>()
        for (const [groupIndex, group] of groups.entries()) {
          const planned = group.map((action) => planOf(action, model))
          for (const [i, outcome] of (
            await commitGroup(
              run,
              planned.map(({ command }) => command),
            )
          ).entries()) {
            const [action, body] = [group[i], planned[i]?.body]
            if (!action || !outcome.ok) {
              counts.refused++
              // `Stale`: the run was deleted in the same group. In a service, the queue prepares such an upload again.
              if (!outcome.ok && !(outcome.error instanceof Stale) && !isUniqueViolation(outcome.error))
                expect(outcome.error).toBeInstanceOf(Refused)
              continue
            }
            if (action.do === 'delete') counts.deleted += Number(model.delete(action.run_id))
            if (action.do === 'pin') counts.pinned++
            if (action.do === 'unpin') counts.unpinned++
            if (action.do === 'account') counts.accounts++
            if (!body) continue
            const { id: run_id, created } = outcome.result as { id: string; created: boolean }
            if (created) counts.ingested++
            else counts.silent++
            if (created && everIngested.has(run_id)) counts.reingested++
            everIngested.add(run_id)
            if (created) model.set(run_id, body)
          }
          // The rebuild resumes, catches up and is interrupted again, with commits in between.
          const batches = interruptions[groupIndex]
          if (batches !== null && batches !== undefined) counts.interrupted += Number(rebuildPartly(run, batches))
        }
        const { database } = run.writer.connection
        const inline = readTables(database)
        expect(database.prepare('SELECT id FROM runs ORDER BY id').pluck().all()).toEqual(
          [...model.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        )
        for (const [run_id, body] of model) expect(Buffer.concat(framesOf(run, run_id))).toEqual(body)
        const sets = database.prepare(`
          SELECT sets.set_key, sets.project, sets.suite, run_count, sets.case_count, sets.pass_count, sets.fail_count, sets.error_count, sets.empty_count, runs.id AS latest
          FROM sets JOIN runs ON runs.run_no = latest_run_no ORDER BY sets.set_key`)
        expect(sets.all()).toEqual(recount(model))

        rebuildAll(run)
        expect(readTables(database)).toEqual(inline)
        run.close()
      }),
      { numRuns: runCount(50) },
    )
    // Every kind of step occurred.
    for (const [what, times] of Object.entries(counts)) expect({ what, times }).not.toEqual({ what, times: 0 })
  })

  it('restores the tables of real documents, some of them deleted or pinned', async () => {
    const documents = realDocuments().filter(({ bytes }) => bytes.length < 400_000)
    const outcomes: Outcome[] = []
    for (const { bytes } of documents) outcomes.push(...(await commitGroup(store, [ingest(bytes)])))
    const ids = outcomes.map((outcome) => (outcome.ok ? (outcome.result as { id: string }).id : ''))
    expect(ids.length).toBeGreaterThan(10)
    await commitGroup(
      store,
      ids.filter((_, i) => i % 3 === 0).map((run_id) => commands.deleteRun(admin, { run_id })),
    )
    const [pinned] = column(
      'SELECT id FROM runs WHERE project IS NOT NULL AND suite IS NOT NULL ORDER BY id',
    ) as string[]
    const [set] = store.writer.connection.database
      .prepare('SELECT project, suite FROM runs WHERE id = ?')
      .all(pinned) as Array<{ project: string; suite: string }>
    await commitGroup(store, [
      commands.pinBaseline(admin, { project: set?.project ?? '', suite: set?.suite ?? '', run_id: pinned ?? '' }),
    ])
    const inline = tables()
    expect(inline['baselines']).toHaveLength(1)
    rebuildAll(store)
    expect(tables()).toEqual(inline)
  })

  it('ignores the previous contents of the tables', async () => {
    await commitGroup(store, [ingest(bytesOf(theExample()))])
    const inline = tables()
    store.writer.connection.database.exec(
      "DELETE FROM cases; UPDATE runs SET note = 'wrong'; INSERT INTO baselines VALUES ('p', 's', 'r', 0); DELETE FROM search; UPDATE sets SET run_count = 9",
    )
    expect(tables()).not.toEqual(inline)
    expect(rebuildAll(store)).toBe(1)
    expect(tables()).toEqual(inline)
  })

  it('empties the tables of an empty log', () => {
    store.writer.connection.database.exec("INSERT INTO baselines VALUES ('p', 's', 'r', 0)")
    expect(rebuildAll(store)).toBe(0)
    expect(tables()['baselines']).toEqual([])
  })

  it('skips a deleted run, whose document is deleted too', async () => {
    const [remaining, dropped] = ['remaining', 'dropped'].map((run_id) => bytesOf(aDocument({ run_id }))) as [
      Buffer,
      Buffer,
    ]
    await commitGroup(store, [ingest(dropped), ingest(remaining)])
    await commitGroup(store, [commands.pinBaseline(admin, { project: 'chat', suite: 'smoke', run_id: 'dropped' })])
    await commitGroup(store, [commands.deleteRun(admin, { run_id: 'dropped' })])
    expect(column('SELECT DISTINCT run_no FROM document_frames')).toEqual([2])
    await commitGroup(store, [ingest(dropped)])
    const inline = tables()
    rebuildAll(store)
    expect(tables()).toEqual(inline)
    expect(column('SELECT run_no FROM runs ORDER BY run_no')).toEqual([2, 3])
    expect(column('SELECT run_id FROM baselines')).toEqual([])
  })

  it.each([
    ['missing', 'DELETE FROM document_frames WHERE run_no = 2'],
    ['truncated', `DELETE FROM document_frames WHERE run_no = 2 AND n > ${SMALL_FRAMES.first}`],
    ['lacking its first frame', `DELETE FROM document_frames WHERE run_no = 2 AND n = ${SMALL_FRAMES.first}`],
  ])('throws for a document that is %s although its run was not deleted, tables unchanged', async (_, damage) => {
    const large = bytesOf(aDocument({ run_id: 'large', cases: [aCase({ output: 'words '.repeat(60_000) })] }))
    await commitGroup(store, [ingest(bytesOf(aDocument())), ingest(large)])
    store.writer.connection.database.exec(damage)
    const before = tables()
    expect(() => rebuildAll(store)).toThrow(DocumentMissing)
    expect(() => rebuildAll(store)).toThrow('event 2 (run/large)')
    expect(tables()).toEqual(before)
  })

  it.each([
    ['cannot be unpacked', "UPDATE document_frames SET bytes = x'00'"],
    [
      'does not have the digest',
      'UPDATE document_frames SET bytes = (SELECT bytes FROM document_frames WHERE run_no = 2) WHERE run_no = 1',
    ],
  ])('throws for a document that %s, and leaves the tables unchanged', async (message, damage) => {
    await commitGroup(store, [ingest(bytesOf(aDocument())), ingest(bytesOf(aDocument({ run_id: 'run-2' })))])
    store.writer.connection.database.exec(damage)
    const before = tables()
    expect(() => rebuildAll(store)).toThrow(DocumentDamaged)
    expect(() => rebuildAll(store)).toThrow(new RegExp(`event 1 \\(run/run-1\\): .*${message}`))
    expect(tables()).toEqual(before)
  })

  it('throws for an event of an unknown type, and leaves the tables unchanged', async () => {
    const lenient = openStore({ project: (recorded) => (recorded.type === 'SomethingNewer' ? [] : project(recorded)) })
    await commitGroup(lenient, [ingest(bytesOf(aDocument()))])
    commitAll(lenient.writer, aCommand([event('new/1', 'SomethingNewer', {})]))
    const before = readTables(lenient.writer.connection.database)
    expect(() => rebuildAll(lenient)).toThrow('event 2 is of the unknown type SomethingNewer')
    expect(readTables(lenient.writer.connection.database)).toEqual(before)
    lenient.close()
  })

  it('refuses to commit an event of an unknown type', () => {
    expect(commitAll(store.writer, aCommand([event('new/1', 'SomethingNewer', {})]))).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('unknown type') as string } },
    ])
    expect(store.writer.head().size).toBe(0)
  })

  it('replays a log larger than one batch, and reports its progress', () => {
    for (let i = 0; i < 3; i++)
      commitAll(
        store.writer,
        aCommand(
          Array.from({ length: 400 }, () =>
            event('service/i', 'Started', { config_sha256: '', schema: 1, version: '1' }),
          ),
        ),
      )
    const reported: Array<readonly [number, number]> = []
    expect(
      rebuildTables(store.writer, { progress: ({ position, size }) => void reported.push([position, size]) }),
    ).toBe(1200)
    expect(reported).toEqual([
      [500, 1200],
      [1000, 1200],
      [1200, 1200],
    ])
  })
})

describe('the versions of the read models', () => {
  it('are all outdated in a new database, and none after a rebuild', async () => {
    const { writer, file, close } = openStore({ project })
    const outdated = (): string[] => outdatedModels(writer.read(listReadModels)).map(({ name }) => name)
    expect(outdated()).toEqual(projections.map(({ name }) => name))
    for (const change of markCurrent(0)) writer.connection.run(change)
    expect(outdated()).toEqual([])
    onFile(file, (database) => database.exec("UPDATE projections SET version = 99 WHERE name = 'sets'"))
    expect(outdated()).toEqual(['sets'])
    await commitGroup({ writer, file, close, dir: '' }, [ingest(bytesOf(theExample()))])
    rebuildTables(writer)
    expect(outdated()).toEqual([])
    expect(
      writer.connection.database
        .prepare("SELECT DISTINCT position FROM projections WHERE name <> 'tree'")
        .pluck()
        .all(),
    ).toEqual([1])
    close()
  })

  it('stay next to that of the tree of the log, of which a newer one is rejected', () => {
    const { writer, close } = openStore()
    for (const change of markCurrent(7)) writer.connection.run(change)
    const tree = writer.read(listReadModels).find(({ name }) => name === 'tree')
    expect(tree).toEqual({ name: 'tree', version: 1 })
    expect(newerProjections(writer.read(listReadModels))).toEqual([])
    expect(newerProjections([{ name: 'tree', version: 2 }])).toEqual(['tree'])
    close()
  })
})

const framesOf = ({ writer: { read, connection } }: SpecStore, run_id: string): Buffer[] =>
  read(
    listFramesAfter(
      connection.database.prepare('SELECT run_no FROM runs WHERE id = ?').pluck().get(run_id) as number,
      null,
      100,
    ),
  ).map(rawFrame)
