import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commands } from '../../../commands/index.ts'
import { Refused } from '../../../commands/refused.ts'
import { project } from '../../../projections/index.ts'
import type { AnyCommand } from '../../../storage/command.ts'
import type { CommitStep } from '../../../storage/commit/commit-command.ts'
import { groupCommit } from '../../../storage/commit/group-commit.ts'
import { Unavailable } from '../../../storage/errors.ts'
import { event } from '../../../storage/log/event.ts'
import { statement } from '../../../storage/sql.ts'
import { admin } from '../../support/access/viewers.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { serverUrl } from '../../support/stores/fresh-database.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import { openStorage } from '../../support/stores/open-storage.ts'
import type { SpecStorage } from '../../support/stores/open-storage.ts'
import { sqlOnDatabase } from '../../support/stores/plain-sql.ts'
import { deciding } from '../../support/stores/store.ts'

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What the storage says of a key that is there already, however deep slonik put it. */
const TAKEN: unknown = onPostgres ? { code: '23505' } : { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' }

describe('a commit', () => {
  const told: string[] = []
  let store: SpecStorage
  beforeEach(async () => {
    told.length = 0
    store = await openStorage({
      observe: (step) => told.push(step),
      onCommitted: ({ size }) => told.push(`visible to ${size}`),
    })
  })
  afterEach(() => store.close())

  const queued = () => groupCommit({ storage: store, clock: () => 0, yielded: soon })
  const fact = (n: number, more: Partial<ReturnType<typeof event>> = {}) =>
    deciding([{ ...event('run/a', 'A', { n }), ...more }])
  const numbers = async (): Promise<unknown[]> =>
    (await store.sql.column('SELECT body FROM event_bodies ORDER BY seq')).map(
      (body) => (JSON.parse(String(body)) as { data: { n: unknown } }).data.n,
    )

  it('locks, reads facts, decides, appends, projects, and answers once it is durable', async () => {
    await queued()
      .commit(fact(1))
      .then(() => told.push('answered'))
    expect(told).toEqual([
      'begin',
      'savepoint',
      'facts',
      'decide',
      'append',
      'project',
      'before commit',
      'committed',
      'visible to 1',
      'answered',
    ])
  })

  it('locks once per group, and answers all members after the one commit', async () => {
    const { commit } = queued()
    await Promise.all([1, 2, 3].map((n) => commit(fact(n)).then(() => told.push('answered'))))
    expect(told.filter((step) => step === 'begin')).toHaveLength(1)
    expect(told.slice(-6)).toEqual(['before commit', 'committed', 'visible to 3', 'answered', 'answered', 'answered'])
  })

  it('without events leaves the log unchanged', async () => {
    await store.commitAll(fact(1))
    const head = await store.head()
    told.length = 0
    expect(await store.commitAll(deciding([]))).toEqual([{ ok: true, result: [] }])
    expect(told).toEqual(['begin', 'savepoint', 'facts', 'decide', 'before commit', 'committed'])
    expect(await store.head()).toEqual(head)
  })

  it('fails only the command whose decision throws', async () => {
    const refuses = deciding(() => {
      throw new Refused('forbidden', 'no')
    })
    const outcomes = await store.commitAll(fact(1), refuses, fact(2))
    expect(outcomes).toMatchObject([{ ok: true }, { ok: false, error: { reason: 'forbidden' } }, { ok: true }])
    expect(await numbers()).toEqual([1, 2])
    expect(told).not.toContain('rolled back')
    expect(told.filter((step) => step === 'begin')).toHaveLength(1)
  })

  it("writes a command's own rows, with or without events, unless it is rejected", async () => {
    const labels = (): Promise<unknown[]> => store.sql.column('SELECT id FROM principals ORDER BY id')
    const bringing = (id: string): Partial<AnyCommand> => ({
      alongside: [statement`INSERT INTO principals (id, kind, label) VALUES (${id}, 'static', 'x')`],
    })
    const refuses = deciding(() => {
      throw new Refused('forbidden', 'no')
    }, bringing('refused'))
    const outcomes = await store.commitAll(
      deciding([], bringing('silent')),
      refuses,
      { ...fact(1), ...bringing('told') },
      { ...fact(2), ...bringing('told') },
    )
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true, false])
    expect(await labels()).toEqual(['silent', 'told'])
    expect(await numbers()).toEqual([1])
    // Nothing was recorded: nobody is told of a new head.
    told.splice(0)
    await store.commitAll(deciding([], bringing('later')))
    expect(await labels()).toContain('later')
    expect(told.filter((step) => step.startsWith('visible'))).toEqual([])
  })

  it('fails only the command that violates a constraint, and undoes all its writes', async () => {
    const twice = [1, 2].map(() => statement`INSERT INTO principals (id, kind, label) VALUES ('x', 'static', 'x')`)
    const both = deciding([event('run/b', 'B', { n: 7 }), { ...event('run/b', 'B', { n: 8 }), alongside: twice }], {
      decide: (_facts, _prepared, { nextRunNo }) => [
        event('run/b', 'B', { n: nextRunNo() }),
        { ...event('run/b', 'B', { n: 8 }), alongside: twice },
      ],
    })
    const numbered = deciding([], {
      decide: (_facts, _prepared, { nextRunNo }) => [event('run/c', 'C', { n: nextRunNo() })],
    })
    const outcomes = await store.commitAll(fact(1), both, numbered)
    expect(outcomes).toMatchObject([
      { ok: true, result: [1] },
      { ok: false, error: TAKEN },
      { ok: true, result: [2] },
    ])
    // The number that the lost command took is given to the next.
    expect(await numbers()).toEqual([1, 1])
    expect(await store.sql.column('SELECT count(*) FROM principals')).toEqual([0])
    expect(told).not.toContain('rolled back')
  })

  it('fails only the command with an unexpected error, and runs the others again', async () => {
    const broken = deciding([event('run/b', 'B', { n: 2 })], {
      answer: () => {
        throw new TypeError('a bug')
      },
    })
    expect(await store.commitAll(fact(1), broken, fact(3))).toMatchObject([
      { ok: true, result: [1] },
      { ok: false, error: { message: 'a bug' } },
      { ok: true, result: [2] },
    ])
    expect(await numbers()).toEqual([1, 3])
    expect(told.filter((step) => step === 'rolled back')).toHaveLength(2)
  })
})

// On SQLite they are held against its file, and a full disk besides, where its groups are specified.
if (onPostgres)
  describe('a fault in the middle of a group', () => {
    const suite = { project: 'chat', suite: 'smoke' }
    const ingest = (run_id: string, name = 'x') =>
      commands.ingestRun(admin, {
        body: Buffer.from(JSON.stringify(aDocument({ run_id, config_digest: name }))),
        encoding: null,
      })
    const before = () => [ingest('old'), commands.pinBaseline(admin, { ...suite, run_id: 'old' })]
    const group = () => [
      ingest('first'),
      ingest('second'),
      ingest('first'),
      ingest('first', 'other'),
      commands.deleteRun(admin, { run_id: 'old' }),
      commands.unpinBaseline(admin, suite),
    ]
    const CLEAN = ['ok', 'ok', 'ok', 'Refused', 'ok', 'Refused']
    const throwing = (error: Error): never => {
      throw error
    }

    let fault: (step: CommitStep, at: number) => void
    let told: CommitStep[]
    let store: SpecStorage
    beforeEach(async () => {
      fault = () => {}
      told = []
      store = await openStorage({ project, observe: (step) => fault(step, told.push(step) - 1) })
    })
    afterEach(() => store.close())

    /**
     * Empties the store but for its log, runs the group with a fault in it on what was there before, and tells what
     * became of it.
     */
    const run = async (what: typeof fault) => {
      const { commit } = groupCommit({ storage: store, clock: () => 0, yielded: soon })
      fault = () => {}
      for (const run_id of (await store.sql.column('SELECT id FROM runs')) as string[])
        await commit(commands.deleteRun(admin, { run_id }))
      for (const command of before()) await commit(command)
      told = []
      fault = what
      const answers = await Promise.allSettled(group().map(commit))
      fault = () => {}
      const runs = await store.sql.column('SELECT id FROM runs ORDER BY id')
      for (const table of ['cases', 'matrices', 'run_configs', 'document_frames'])
        expect({ table, runs: await store.sql.column(`SELECT DISTINCT run_no FROM ${table} ORDER BY run_no`) }).toEqual(
          { table, runs: await store.sql.column('SELECT run_no FROM runs ORDER BY run_no') },
        )
      // Dense, whatever was undone; and the head is where the log ends.
      expect(await store.sql.rows('SELECT max(seq) AS last, count(*) AS count FROM events')).toEqual([
        { last: (await store.head()).size, count: (await store.head()).size },
      ])
      return {
        told: [...told],
        outcomes: answers.map((answer) => (answer.status === 'fulfilled' ? 'ok' : (answer.reason as Error).name)),
        runs,
      }
    }

    it('is recovered at every step before the commit if it happens once', async () => {
      const clean = await run(() => {})
      expect(clean).toMatchObject({ outcomes: CLEAN, runs: ['first', 'second'] })
      for (const [at, step] of clean.told.entries()) {
        if (step === 'committed') continue
        const found = await run((_, now) => void (now === at && throwing(new Error(`fault at ${step}`))))
        expect({ at, step, ...found, told: found.told.filter((each) => each === 'rolled back').length }).toEqual({
          at,
          step,
          told: 1,
          outcomes: CLEAN,
          runs: ['first', 'second'],
        })
      }
    })

    it('that persists before the commit acknowledges nothing and changes nothing', async () => {
      const clean = await run(() => {})
      for (const [at, step] of clean.told.entries()) {
        if (step === 'committed') continue
        const { outcomes, runs } = await run(
          (_, now) => void (now >= at && throwing(new Unavailable(`fault at ${step}`))),
        )
        expect({ at, step, outcomes, runs }).toEqual({
          at,
          step,
          outcomes: CLEAN.map(() => 'Unavailable'),
          runs: ['old'],
        })
      }
    })

    it('after the commit runs nothing again: the writes stay, though no reply is sent', async () => {
      const clean = await run(() => {})
      const {
        told: steps,
        outcomes,
        runs,
      } = await run((step) => void (step === 'committed' && throwing(new Error('cannot tell'))))
      expect(outcomes).toEqual(CLEAN.map(() => 'Error'))
      expect(runs).toEqual(['first', 'second'])
      expect(steps.filter((step) => step === 'append')).toHaveLength(
        clean.told.filter((step) => step === 'append').length,
      )
    })
  })

// SQLite has one writer, which nobody runs into.
if (onPostgres)
  describe('a group that conflicts with concurrent transactions', () => {
    let told: CommitStep[]
    let store: SpecStorage
    beforeEach(async () => {
      told = []
      store = await openStorage({ observe: (step) => told.push(step) })
    })
    afterEach(() => store.close())
    const conflict = (code: string): Error => Object.assign(new Error('in the way'), { code })

    it.each(['40001', '40P01'])('runs again as a whole after %s, and fails after a few attempts', async (code) => {
      let left = 2
      const failing = (n: number, times: () => boolean) =>
        deciding([event('run/a', 'A', { n })], {
          answer: (recorded) => {
            if (times()) throw conflict(code)
            return recorded.map(({ seq }) => seq)
          },
        })
      expect(
        await store.commitAll(
          failing(1, () => left-- > 0),
          failing(2, () => false),
        ),
      ).toEqual([
        { ok: true, result: [1] },
        { ok: true, result: [2] },
      ])
      expect(told.filter((step) => step === 'begin')).toHaveLength(3)
      told.length = 0
      expect(await store.commitAll(failing(3, () => true))).toMatchObject([
        { ok: false, error: { name: 'Unavailable' } },
      ])
      expect(told.filter((step) => step === 'begin')).toHaveLength(5)
      expect((await store.head()).size).toBe(2)
    })

    it('runs again after a real deadlock', async () => {
      const url = store.databaseUrl ?? ''
      // Only the superuser may say when a session looks for deadlocks.
      const [gate, other] = [sqlOnDatabase(url), sqlOnDatabase(serverUrl(new URL(url).pathname.slice(1)))]
      const waiting = (count: number) =>
        expect
          .poll(
            () =>
              store.sql.column(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'",
              ),
            { interval: 5 },
          )
          .toEqual([count])
      await store.run(
        statement`INSERT INTO principals (id, kind, label) VALUES ('p', 'static', ''), ('gate', 'static', ''), ('q', 'static', '')`,
      )
      const relabel = (id: string) => statement`UPDATE principals SET label = 'ours' WHERE id = ${id}`
      await gate.execute('BEGIN')
      await gate.execute("UPDATE principals SET label = 'held' WHERE id = 'gate'")
      // Who finds a deadlock is undone: the other one never looks, and ours looks each time that it has waited a while.
      await other.execute("SET deadlock_timeout = '1h'")
      await other.execute('BEGIN')
      await other.execute("UPDATE principals SET label = 'theirs' WHERE id = 'q'")
      const committed = store.commitAll(
        deciding([event('run/a', 'A', {})], { alongside: [relabel('p'), relabel('gate'), relabel('q')] }),
      )
      await waiting(1)
      const theirs = other.execute("UPDATE principals SET label = 'theirs' WHERE id = 'p'")
      await waiting(2)
      await gate.execute('COMMIT')
      await theirs
      await other.execute('COMMIT')
      expect(await committed).toEqual([{ ok: true, result: [1] }])
      expect(told.filter((step) => step === 'begin')).toHaveLength(2)
      expect(await store.sql.column('SELECT DISTINCT label FROM principals')).toEqual(['ours'])
      await Promise.all([gate.close(), other.close()])
    })
  })
