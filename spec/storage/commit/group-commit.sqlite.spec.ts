import { randomFillSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import * as commands from '../../../commands/index.ts'
import { Refused } from '../../../commands/refused.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { project } from '../../../projections/index.ts'
import type { AnyCommand, Fetched, Outcome } from '../../../storage/command.ts'
import type { CommitStep } from '../../../storage/commit/commit-command.ts'
import { BOUNDS, groupCommit, type Bounds } from '../../../storage/commit/group-commit.ts'
import { Busy, Stale, Unavailable } from '../../../storage/errors.ts'
import { PartAway } from '../../../storage/objects/part-away.ts'
import { openSqliteWriter, type SqliteWriter } from '../../../storage/sqlite/storage.ts'
import { admin } from '../../support/access/viewers.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { aCommand, freshFolder, migrate, steppingClock } from '../../support/stores/store.ts'

const MIB = 1024 * 1024
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The outcomes of commands as a caller sees them: `ok`, or the name of the error. */
const outcomesOf = async (answers: ReadonlyArray<Promise<unknown>>): Promise<string[]> =>
  (await Promise.allSettled(answers)).map((answer) =>
    answer.status === 'fulfilled' ? 'ok' : (answer.reason as Error).name,
  )

describe('groupCommit', () => {
  let groups: string[][]
  let done: string[]
  let now = 0
  beforeEach(() => {
    groups = []
    done = []
    now = 0
  })

  type Work = { readonly bytes?: number; readonly unpacked?: number; readonly takes?: number; readonly fails?: Error }

  /** A command named by its request id, with bytes and a preparation time. */
  const command = (name: string, { bytes = 0, unpacked, takes = 0, fails }: Work = {}): AnyCommand =>
    aCommand([], {
      request_id: name,
      bytes,
      prepare: () => {
        done.push(`prepare ${name}`)
        now += takes
        if (fails) throw fails
        return unpacked === undefined ? null : { raw_bytes: unpacked }
      },
    })

  /** A queue before a store that commits every command, or has other outcomes for the names of a group. */
  const queue = (
    bounds: Partial<Bounds> = {},
    outcomes = (names: readonly string[]): Outcome[] => names.map((result) => ({ ok: true, result })),
    readAway?: (part: PartAway) => Promise<Fetched>,
  ) =>
    groupCommit({
      readAway,
      storage: {
        dialect: 'sqlite',
        read: (query) => query.shape([]),
        commitGroup: (group) => {
          const names = group.map(({ command: { request_id } }) => request_id ?? '')
          groups.push(names)
          done.push(`commit ${names.join(' ')}`)
          return outcomes(names)
        },
      },
      clock: () => now,
      yielded: nextTurn,
      bounds: { ...BOUNDS, ...bounds },
    })

  const groupsOf = async (commands: readonly AnyCommand[], bounds?: Partial<Bounds>): Promise<string[][]> => {
    const { commit } = queue(bounds)
    expect(await Promise.all(commands.map(commit))).toEqual(commands.map(({ request_id }) => request_id))
    return groups
  }

  it('limits groups to 16 commands, 4 MiB and 20 ms, and the queue to 256 MiB', () =>
    expect(BOUNDS).toMatchObject({ commands: 16, bytes: 4 * MIB, preparationMs: 20, queuedBytes: 256 * MIB }))

  it('takes up to 16 commands in order of arrival', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `c${i}`)
    expect(await groupsOf(names.map((name) => command(name)))).toEqual([
      names.slice(0, 16),
      names.slice(16, 32),
      names.slice(32),
    ])
  })

  it('takes documents of up to 4 MiB in total', async () =>
    expect(await groupsOf(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => command(name, { bytes: 1.5 * MIB })))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]))

  it('ends a group after 20 ms of preparation', async () =>
    expect(await groupsOf(['a', 'b', 'c', 'd', 'e'].map((name) => command(name, { bytes: 1, takes: 8 })))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]))

  it('takes at least one command, however long its preparation takes', async () =>
    expect(await groupsOf(['a', 'b'].map((name) => command(name, { bytes: 1, takes: 1000 })))).toEqual([['a'], ['b']]))

  it('takes commands without a document first', async () =>
    expect(await groupsOf([command('document', { bytes: 10 }), command('first'), command('second')])).toEqual([
      ['first', 'second', 'document'],
    ]))

  it('gives a waiting document its turn after 64 commands without one', async () => {
    expect(BOUNDS.overtaking).toBe(64)
    const { commit } = queue()
    let sent = 0
    // Each command is followed by another one at once, so that the queue always has some.
    const keepSending = (): Promise<unknown> =>
      sent++ < 1_000 ? commit(command('light')).then(keepSending) : Promise.resolve()
    const documents = ['d1', 'd2', 'd3'].map((name) => commit(command(name, { bytes: 1 })))
    await Promise.all([...documents, ...Array.from({ length: 40 }, keepSending)])
    const turns = groups.flat()
    expect(['d1', 'd2', 'd3'].map((name) => turns.indexOf(name))).toEqual([64, 129, 194])
    expect(turns).toHaveLength(1_003)
  })

  it('gives a large document its turn in a group of its own, and commands without one theirs after it', async () => {
    const lights = ['a', 'b', 'c', 'd', 'e'].map((name) => command(name))
    const documents = ['l1', 'l2'].map((name) => command(name, { bytes: 5 * MIB }))
    expect(await groupsOf([...documents, ...lights], { overtaking: 2 })).toEqual([
      ['a', 'b'],
      ['l1'],
      ['c', 'd'],
      ['l2'],
      ['e'],
    ])
  })

  it('lets no command without a document count as overtaking while no document waits', async () => {
    const lights = ['a', 'b', 'c', 'd'].map((name) => command(name))
    const { commit } = queue({ overtaking: 2 })
    await Promise.all(lights.map(commit))
    await Promise.all([command('document', { bytes: 1 }), command('e'), command('f'), command('g')].map(commit))
    expect(groups).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f', 'document', 'g'],
    ])
  })

  it('commits a document of over 4 MiB alone', async () => {
    expect(
      await groupsOf([command('large', { bytes: 5 * MIB }), command('light'), command('small', { bytes: 1 })]),
    ).toEqual([['light'], ['large'], ['small']])
    groups = []
    expect(
      await groupsOf([
        command('small', { bytes: 1 }),
        command('large', { bytes: 5 * MIB }),
        command('next', { bytes: 1 }),
      ]),
    ).toEqual([['small'], ['large'], ['next']])
  })

  it('prepares one large document at a time, and nothing else until it is committed', async () => {
    await groupsOf([command('a', { bytes: 5 * MIB }), command('b', { bytes: 6 * MIB }), command('c', { bytes: 1 })])
    expect(done).toEqual(['prepare a', 'commit a', 'prepare c', 'commit c', 'prepare b', 'commit b'])
  })

  it('lets no small document wait for two large ones', async () => {
    const large = ['l1', 'l2', 'l3', 'l4'].map((name) => command(name, { bytes: 60 * MIB }))
    const small = ['s1', 's2', 's3'].map((name) => command(name, { bytes: MIB }))
    expect(await groupsOf([...large, ...small])).toEqual([['l1'], ['s1', 's2', 's3'], ['l2'], ['l3'], ['l4']])
  })

  it('lets no small document wait for two large compressed ones', async () => {
    const large = ['l1', 'l2', 'l3'].map((name) => command(name, { bytes: 2 * MIB, unpacked: 60 * MIB }))
    expect(await groupsOf([...large, command('small', { bytes: 1 })])).toEqual([['l1'], ['small'], ['l2'], ['l3']])
  })

  it('lets no large document wait forever while small ones keep arriving', async () => {
    const { commit } = queue({ commands: 2 })
    let sent = 0
    const keepSending = (): Promise<unknown> =>
      sent++ < 40 ? commit(command(`s${sent}`, { bytes: 1 })).then(keepSending) : Promise.resolve()
    const large = ['l1', 'l2', 'l3'].map((name) => commit(command(name, { bytes: 5 * MIB })))
    const small = [1, 2, 3, 4].map(keepSending)
    await Promise.all(large)
    expect(sent).toBeLessThan(20)
    await Promise.all(small)
  })

  it('lets a logout, grant or pin wait only for the large document in preparation', async () => {
    const { commit } = queue()
    const answers = ['l1', 'l2', 'l3'].map((name) => commit(command(name, { bytes: 60 * MIB })))
    await nextTurn()
    answers.push(commit(command('logout')))
    await Promise.all(answers)
    expect(groups).toEqual([['l1'], ['logout'], ['l2'], ['l3']])
  })

  it('commits a document alone if only its uncompressed size is large', async () => {
    await groupsOf([
      command('a', { bytes: 10, unpacked: MIB }),
      command('large', { bytes: 10, unpacked: 9 * MIB }),
      command('b', { bytes: 10, unpacked: MIB }),
    ])
    expect(groups).toEqual([['a'], ['large'], ['b']])
    expect(done.slice(0, 4)).toEqual(['prepare a', 'prepare large', 'commit a', 'commit large'])
  })

  it('limits a group of compressed documents to 4 MiB', async () =>
    expect(await groupsOf(['a', 'b', 'c'].map((name) => command(name, { bytes: 10, unpacked: 3 * MIB })))).toEqual([
      ['a'],
      ['b'],
      ['c'],
    ]))

  it('puts commands that arrived during a commit into the next group', async () => {
    const { commit, drained } = queue()
    const answers = [commit(command('a'))]
    await nextTurn()
    answers.push(commit(command('b')), commit(command('c')))
    await drained()
    expect(groups).toEqual([['a'], ['b', 'c']])
    await Promise.all(answers)
  })

  it('is drained only after the last group is over', async () => {
    const { commit, drained } = queue({ commands: 1 })
    await drained()
    const answers = ['a', 'b', 'c'].map((name) => commit(command(name)))
    await drained()
    expect(groups).toHaveLength(3)
    await Promise.all(answers)
  })

  it('leaves out commands that cannot be prepared', async () => {
    const { commit } = queue()
    const refusal = new Refused('bad_request', 'no document')
    expect(
      await outcomesOf([commit(command('a')), commit(command('b', { fails: refusal })), commit(command('c'))]),
    ).toEqual(['ok', 'Refused', 'ok'])
    expect(groups).toEqual([['a', 'c']])
  })

  it('counts commands that wait for a part of a bucket among those of the queue', async () => {
    const held = Promise.withResolvers<Fetched>()
    const asked = Promise.withResolvers<void>()
    const { commit } = queue({ queuedCommands: 1 }, undefined, (part) => {
      asked.resolve()
      return held.promise.then((fetched) => ({ ...fetched, part_no: part.part_no }))
    })
    let isThere = false
    const waiting = commit({
      ...command('waits'),
      prepare: () => {
        if (!isThere) throw new PartAway(1, [])
        return null
      },
    })
    await asked.promise
    await expect(commit(command('next'))).rejects.toBeInstanceOf(Busy)
    isThere = true
    held.resolve({ part_no: 1, bytes: Buffer.alloc(1) })
    expect(await waiting).toBe('waits')
    expect(await commit(command('next'))).toBe('next')
  })

  it('rejects bytes beyond the queue limit as unavailable until there is room', async () => {
    const { commit } = queue({ queuedBytes: 10 })
    const answers = [6, 4, 1].map((bytes, i) => commit(command(`${i}`, { bytes })))
    expect(await outcomesOf(answers)).toEqual(['ok', 'ok', 'Unavailable'])
    await expect(answers[2]).rejects.toBeInstanceOf(Busy)
    expect(await outcomesOf([commit(command('later', { bytes: 10 }))])).toEqual(['ok'])
  })

  it('accepts a command larger than the queue limit when the queue is empty', async () => {
    const { commit } = queue({ queuedBytes: 10 })
    expect(await outcomesOf([commit(command('large', { bytes: 11 })), commit(command('next', { bytes: 1 }))])).toEqual([
      'ok',
      'Unavailable',
    ])
  })

  it('rejects commands beyond the queue limit as unavailable until there is room', async () => {
    const { commit } = queue({ queuedCommands: 3 })
    expect(await outcomesOf(['a', 'b', 'c', 'd'].map((name) => commit(command(name))))).toEqual([
      'ok',
      'ok',
      'ok',
      'Unavailable',
    ])
    expect(await outcomesOf([commit(command('e'))])).toEqual(['ok'])
  })

  it('fails overdue commands at once when the store fails, and tries the others', async () => {
    const { commit } = queue({ commands: 1, overdueMs: 10 }, (names) => {
      // Each failure takes 6 ms, like a timeout on a server that does not respond.
      now += 6
      return names.map(() => ({ ok: false, error: new Unavailable('away') }))
    })
    const answers = Array.from({ length: 20 }, (_, i) => commit(command(`${i}`, { bytes: i % 2 })))
    expect(new Set(await outcomesOf(answers))).toEqual(new Set(['Unavailable']))
    expect(groups).toHaveLength(2)
    expect(await outcomesOf([commit(command('later', { bytes: 1 }))])).toEqual(['Unavailable'])
    expect(groups).toHaveLength(3)
  })

  it('tries documents alone after the store failed, so that none fails a command without a document', async () => {
    let isFull = true
    const { commit } = queue({ commands: 4 }, (names) =>
      names.map((result) =>
        isFull && names.includes('large') ? { ok: false, error: new Unavailable('full') } : { ok: true, result },
      ),
    )
    const send = () =>
      outcomesOf([
        commit(command('large', { bytes: 1 })),
        commit(command('small', { bytes: 1 })),
        commit(command('delete')),
        commit(command('logout')),
      ])
    expect(await send()).toEqual(['Unavailable', 'Unavailable', 'Unavailable', 'Unavailable'])
    expect(await send()).toEqual(['Unavailable', 'ok', 'ok', 'ok'])
    isFull = false
    expect(await send()).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(await send()).toEqual(['ok', 'ok', 'ok', 'ok'])
    const [together, alone] = [[['delete', 'logout', 'large', 'small']], [['delete', 'logout'], ['large'], ['small']]]
    expect(groups).toEqual([...together, ...alone, ...alone, ...together])
  })

  it('counts queued bytes correctly after rejections, failures and repeated preparations', async () => {
    let stale = true
    const { commit } = queue({ queuedBytes: 10 }, (names) =>
      names.map((name) => {
        if (name !== 'stale' || !stale) return { ok: true, result: null }
        stale = false
        return { ok: false, error: new Stale('gone') }
      }),
    )
    await outcomesOf([
      commit(command('stale', { bytes: 5 })),
      commit(command('wrong', { bytes: 5, fails: new Error('no') })),
      commit(command('over', { bytes: 1 })),
    ])
    expect(
      await outcomesOf([
        commit(command('a', { bytes: 9 })),
        commit(command('b', { bytes: 1 })),
        commit(command('c', { bytes: 1 })),
      ]),
    ).toEqual(['ok', 'ok', 'Unavailable'])
  })

  it('prepares again in a later group if the prepared data became stale', async () => {
    const { commit } = queue({}, (names) =>
      names.map((name) =>
        name === 'stale' && groups.length === 1 ? { ok: false, error: new Stale('gone') } : { ok: true, result: name },
      ),
    )
    expect(await Promise.all([commit(command('stale')), commit(command('other'))])).toEqual(['stale', 'other'])
    expect(groups).toEqual([['stale', 'other'], ['stale']])
    expect(done.filter((each) => each.startsWith('prepare'))).toEqual([
      'prepare stale',
      'prepare other',
      'prepare stale',
    ])
  })

  it('settles every command of a group if the store throws or returns too few outcomes', async () => {
    const broken = queue({}, () => {
      throw new Unavailable('gone')
    })
    expect(await outcomesOf([broken.commit(command('a')), broken.commit(command('b'))])).toEqual([
      'Unavailable',
      'Unavailable',
    ])
    const incomplete = queue({}, () => [{ ok: true, result: 1 }])
    expect(await outcomesOf([incomplete.commit(command('a')), incomplete.commit(command('b'))])).toEqual([
      'ok',
      'Error',
    ])
  })
})

// Real commands on real documents, so that every table and the log can be checked after each fault.
describe('a fault in the middle of a group', () => {
  const documentOf = (run_id: string, bytes = 10): Buffer => {
    // Random data cannot be compressed.
    const noise = randomFillSync(Buffer.alloc(Math.ceil(bytes / 2))).toString('hex')
    return Buffer.from(
      JSON.stringify(
        aDocument({ run_id, cases: [aCase({ output: noise }), aCase({ cell: { repeat: 1 }, status: 'fail' })] }),
      ),
    )
  }
  const suite = { project: 'chat', suite: 'smoke' }
  const ingest = (body: Buffer) => commands.ingestRun(admin, { body, encoding: null })

  const old = documentOf('old')
  const first = documentOf('first')
  const BEFORE = [ingest(old), commands.pinBaseline(admin, { ...suite, run_id: 'old' })]
  const GROUP = [
    ingest(first),
    ingest(documentOf('second', 40_000)),
    ingest(first),
    ingest(documentOf('first')),
    commands.deleteRun(admin, { run_id: 'old' }),
    commands.unpinBaseline(admin, suite),
  ]
  /**
   * In order: new, new, the same again, different content with an existing id, deleted with its pin, nothing left to
   * unpin.
   */
  const CLEAN = ['ok', 'ok', 'ok', 'Refused', 'ok', 'Refused']

  type Fault = (step: CommitStep, at: number, writer: SqliteWriter) => void

  /**
   * Runs the group on a new store with a fault, then again without a fault. Checks the log, the tables and the head
   * after both.
   */
  const withFault = async (fault: Fault, mend: (writer: SqliteWriter) => void = () => {}) => {
    const { file, remove } = freshFolder()
    migrate(file)
    const observed: CommitStep[] = []
    let active = false
    const writer = openSqliteWriter({
      file,
      project,
      now: steppingClock(),
      instance: 'i',
      checkRows: true,
      observe: (step) => {
        if (!active) return
        observed.push(step)
        fault(step, observed.length - 1, writer)
      },
    })
    const { commit } = groupCommit({ storage: writer, clock: () => 0, yielded: nextTurn })
    const column = (text: string): unknown[] => writer.connection.database.prepare(text).pluck().all()

    const checkStore = async (): Promise<string[]> => {
      expect(writer.connection.database.inTransaction).toBe(false)
      const { finding, size, root, documents } = await verifyLog(file, null)
      expect(finding).toBeNull()
      expect({ size, root }).toEqual({ size: writer.head().size, root: writer.head().root.toString('hex') })
      const runs = column('SELECT id FROM runs ORDER BY id') as string[]
      expect(documents).toBe(runs.length)
      for (const table of ['cases', 'matrices', 'run_configs', 'document_frames'])
        expect({ table, runs: column(`SELECT DISTINCT run_no FROM ${table} ORDER BY run_no`) }).toEqual({
          table,
          runs: column('SELECT run_no FROM runs ORDER BY run_no'),
        })
      expect(column('SELECT run_count FROM sets')).toEqual(runs.length === 0 ? [] : [runs.length])
      expect(column("SELECT value FROM sequences WHERE name = 'run_no'")).toEqual(
        column(
          "SELECT max(json_extract(body, '$.data.run_no')) FROM event_bodies JOIN events USING (seq) WHERE type = 'RunIngested'",
        ),
      )
      return runs
    }

    for (const command of BEFORE) await commit(command)
    active = true
    const outcomes = await outcomesOf(GROUP.map(commit))
    active = false
    mend(writer)
    const runs = await checkStore()
    const secondOutcomes = await outcomesOf(GROUP.map(commit))
    const laterRuns = await checkStore()
    writer.close()
    // A restart finds a log that agrees with its head.
    openSqliteWriter({ file, project, now: steppingClock(), instance: 'next' }).close()
    remove()
    return { observed, outcomes, runs, secondOutcomes, laterRuns }
  }

  /** The outcomes when the group runs a second time: the same documents again, nothing left to delete or unpin. */
  const AGAIN = ['ok', 'ok', 'ok', 'Refused', 'Refused', 'Refused']
  const throwing = (error: Error): never => {
    throw error
  }

  let clean: Awaited<ReturnType<typeof withFault>>
  beforeEach(async () => {
    clean ??= await withFault(() => {})
  })

  it('when absent: the group is one transaction and has all expected outcomes', () => {
    expect(clean.observed.filter((step) => step === 'begin')).toHaveLength(1)
    expect(clean).toMatchObject({
      outcomes: CLEAN,
      runs: ['first', 'second'],
      secondOutcomes: AGAIN,
      laterRuns: ['first', 'second'],
    })
  })

  it('is recovered at every step before the commit if it happens once', async () => {
    for (const [at, step] of clean.observed.entries()) {
      if (step === 'committed') continue
      const { observed, outcomes, runs, secondOutcomes } = await withFault(
        (_, now) => void (now === at && throwing(new Error(`fault at ${step}`))),
      )
      expect({
        at,
        step,
        rolledBack: observed.filter((step) => step === 'rolled back').length,
        outcomes,
        runs,
      }).toEqual({
        at,
        step,
        rolledBack: 1,
        outcomes: CLEAN,
        runs: ['first', 'second'],
      })
      expect(secondOutcomes).toEqual(AGAIN)
    }
  })

  it('that persists before the commit acknowledges nothing and changes nothing', async () => {
    for (const [at, step] of clean.observed.entries()) {
      if (step === 'committed') continue
      const { outcomes, runs, secondOutcomes, laterRuns } = await withFault(
        (_, now) => void (now >= at && throwing(new Unavailable(`fault at ${step}`))),
      )
      expect({ at, step, outcomes, runs }).toEqual({
        at,
        step,
        outcomes: GROUP.map(() => 'Unavailable'),
        runs: ['old'],
      })
      expect(secondOutcomes).toEqual(CLEAN)
      expect(laterRuns).toEqual(['first', 'second'])
    }
  })

  it('that recurs while the commands are committed one by one fails only the command it hits', async () => {
    const { observed } = await withFault((_, now) => void (now === 1 && throwing(new Error('once'))))
    for (const [at, step] of observed.entries()) {
      if (at < 3 || step === 'committed') continue
      const { outcomes, runs, secondOutcomes } = await withFault(
        (_, now) => void ((now === 1 || now === at) && throwing(new Error('twice'))),
      )
      expect({ at, step, lost: outcomes.filter((outcome) => outcome === 'Error') }).toEqual({
        at,
        step,
        lost: ['Error'],
      })
      expect(runs.includes('first')).toBe(outcomes[0] === 'ok' || outcomes[2] === 'ok' || outcomes[3] === 'ok')
      expect(runs.includes('second')).toBe(outcomes[1] === 'ok')
      expect(runs.includes('old')).toBe(outcomes[4] !== 'ok')
      expect(secondOutcomes).not.toContain('Error')
    }
  })

  it('after the commit does not repeat any command: the writes remain, but every caller gets an error', async () => {
    const { observed, outcomes, runs, secondOutcomes } = await withFault(
      (step) => void (step === 'committed' && throwing(new Error('cannot tell'))),
    )
    expect(outcomes).toEqual(GROUP.map(() => 'Error'))
    expect(runs).toEqual(['first', 'second'])
    expect(observed.filter((step) => step === 'append')).toHaveLength(
      clean.observed.filter((step) => step === 'append').length,
    )
    expect(secondOutcomes).toEqual(AGAIN)
  })

  it('caused by a full disk at any step loses no acknowledged write', async () => {
    const errorNames = new Set<string>()
    const unlimited = ({ connection: { database } }: SqliteWriter): void =>
      void database.pragma('max_page_count = 1073741823')
    for (const [at, step] of clean.observed.entries()) {
      const { outcomes, runs, secondOutcomes, laterRuns } = await withFault((_, now, { connection: { database } }) => {
        // SQLite itself rejects the next page, and may end the whole transaction.
        if (now === at) database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true }))}`)
      }, unlimited)
      for (const [i, outcome] of outcomes.entries()) if (outcome !== CLEAN[i]) errorNames.add(outcome)
      expect({ at, step, there: runs.includes('first') }).toEqual({
        at,
        step,
        there: outcomes[0] === 'ok' || outcomes[2] === 'ok' || outcomes[3] === 'ok',
      })
      expect({ at, step, there: runs.includes('second') }).toEqual({ at, step, there: outcomes[1] === 'ok' })
      expect({ at, step, there: runs.includes('old') }).toEqual({ at, step, there: outcomes[4] !== 'ok' })
      expect(secondOutcomes).not.toContain('Unavailable')
      expect(laterRuns.filter((id) => id !== 'old')).toEqual(['first', 'second'])
    }
    expect([...errorNames]).toContain('Unavailable')
  })

  it('caused by a document that does not fit on the disk fails its group, then only that document', async () => {
    const { file, remove } = freshFolder()
    migrate(file)
    const writer = openSqliteWriter({ file, project, now: steppingClock(), instance: 'i' })
    const { commit } = groupCommit({ storage: writer, clock: () => 0, yielded: nextTurn })
    const { database } = writer.connection
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true })) + 120}`)
    const documents = [documentOf('a'), documentOf('large', 3_000_000), documentOf('b')]
    const send = () => outcomesOf(documents.map((body) => commit(ingest(body))))
    expect(await send()).toEqual(['Unavailable', 'Unavailable', 'Unavailable'])
    expect(await send()).toEqual(['ok', 'Unavailable', 'ok'])
    expect(database.prepare('SELECT id FROM runs ORDER BY id').pluck().all()).toEqual(['a', 'b'])
    expect(await verifyLog(file, null)).toMatchObject({ finding: null, size: 2, documents: 2 })
    writer.close()
    remove()
  })
})
