import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { event } from '../../../storage/log/event.ts'
import { openHeadFile } from '../../../storage/sqlite/head-file.ts'
import { onFile, putCopy } from '../stores/store.ts'
import { logKey } from './keys.ts'
import { CHECKED, COLUMN_CHANGES, IMPOSSIBLE, type Draw, type FindingKind } from './mutated-columns.ts'
import { damage, record, rehead, reseal, rootIn } from './tampered-store.ts'
import { filesBeside, type WholeStore } from './whole-store.ts'

/** A copy of the store that is changed. */
type Place = { readonly file: string; readonly store: WholeStore; readonly draw: Draw }

/**
 * A way to change a store. `found` are the findings that it may give. `null` among them: the change may leave a store that
 * is consistent in itself, and only what was noted elsewhere shows it. `isHarmless`: it may change nothing that is shown.
 */
export type Mutation = {
  readonly name: string
  readonly found: readonly (FindingKind | null)[]
  readonly isHarmless?: boolean
  /** Returns false if it changed nothing. */
  readonly apply: (place: Place) => boolean | Promise<boolean>
}

type Work = (database: Database.Database, draw: Draw, store: WholeStore) => boolean

const onRows = (name: string, found: Mutation['found'], work: Work, more: Partial<Mutation> = {}): Mutation => ({
  name,
  found,
  ...more,
  apply: ({ file, store, draw }) => {
    let isChanged = true
    damage(file, (database) => {
      isChanged = work(database, draw, store)
    })
    return isChanged
  },
})

/**
 * A bit of these may change nothing that is shown: the second signature of a note may become one of an unknown key, which
 * means nothing, and compressed bytes may have another form with the same content.
 */
const MAY_MEAN_THE_SAME: readonly string[] = ['flip checkpoints.note', 'flip document_frames.bytes']

const columns: readonly Mutation[] = Object.entries(CHECKED).flatMap(([table, kinds]) =>
  Object.entries(kinds).flatMap(([column, found]) =>
    Object.entries(COLUMN_CHANGES).flatMap(([change, work]) => {
      const name = `${change} ${table}.${column}`
      if (IMPOSSIBLE.has(name)) return []
      return onRows(name, found, (database, draw) => work(database, table, column, draw), {
        isHarmless: MAY_MEAN_THE_SAME.includes(name),
      })
    }),
  ),
)

const lastOf = (database: Database.Database): number =>
  database.prepare('SELECT max(seq) FROM events').pluck().get() as number

const removed = (table: string, found: Mutation['found']): Mutation =>
  onRows(`remove a row of ${table}`, found, (database, draw) => {
    const rows = database.prepare(`SELECT rowid FROM ${table} ORDER BY rowid`).pluck().all()
    return database.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(rows[draw(rows.length)]).changes === 1
  })

const inserted = (table: string, found: Mutation['found'], sql: string): Mutation =>
  onRows(`insert a row of ${table}`, found, (database, draw) => {
    const count = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
    return database.prepare(sql).run(draw(count)).changes > 0
  })

/** Moves the records from one number on, so that a record can be put in or left out. */
const shift = (database: Database.Database, from: number, by: number): void => {
  for (const table of ['events', 'event_bodies'])
    database.exec(`
      UPDATE ${table} SET seq = -(seq + ${by}) WHERE seq >= ${from};
      UPDATE ${table} SET seq = -seq WHERE seq < 0`)
}

const removeRecord: Work = (database, draw) => {
  const seq = 1 + draw(lastOf(database))
  database.exec(`DELETE FROM events WHERE seq = ${seq}; DELETE FROM event_bodies WHERE seq = ${seq}`)
  shift(database, seq + 1, -1)
  return true
}

const insertRecord: Work = (database, draw) => {
  const last = lastOf(database)
  const [at, from] = [1 + draw(last), 1 + draw(last)]
  const copied = database.prepare('SELECT * FROM events WHERE seq = ?').get(from) as object
  shift(database, at, 1)
  database
    .prepare(
      `INSERT INTO events SELECT ${at}, recorded_at, @type, @commitment, @leaf FROM events WHERE seq = ${at === 1 ? 2 : at - 1}`,
    )
    .run(copied)
  database.exec(`
    INSERT INTO event_bodies (seq, stream, version, salt, body)
    VALUES (${at}, 'service/forged', 1, zeroblob(16), '{"data":{},"stream":"service/forged","version":1}')`)
  reseal(database, at, (body) => body)
  return true
}

const swapRecords: Work = (database, draw) => {
  const last = lastOf(database)
  const [a, b] = [1 + draw(last), 1 + draw(last)]
  if (a === b) return false
  for (const table of ['events', 'event_bodies'])
    database.exec(`
      UPDATE ${table} SET seq = -1 WHERE seq = ${a}; UPDATE ${table} SET seq = ${a} WHERE seq = ${b};
      UPDATE ${table} SET seq = ${b} WHERE seq = -1`)
  return true
}

const cutEnd: Work = (database, draw) => {
  const from = 2 + draw(lastOf(database) - 1)
  database.exec(`DELETE FROM events WHERE seq >= ${from}; DELETE FROM event_bodies WHERE seq >= ${from}`)
  return true
}

/** Changes one letter or digit of the data of a record, and seals the record again. */
const rewriteRecord = (database: Database.Database, draw: Draw): number | false => {
  const rows = database.prepare('SELECT seq FROM event_bodies ORDER BY seq').pluck().all() as number[]
  const seq = rows[draw(rows.length)] ?? 0
  const pick = draw(1_000)
  const to = 'az09'[draw(4)] ?? ''
  let isChanged = false
  reseal(database, seq, (body) => {
    const begin = body.indexOf('"data":') + '"data":'.length
    const places = [...body.matchAll(/[a-z0-9]/g)].map(({ index }) => index).filter((index) => index > begin)
    const at = places[pick % places.length] ?? begin
    isChanged = body[at] !== to
    return body.slice(0, at) + to + body.slice(at + 1)
  })
  return isChanged && seq
}

const rewrite = (database: Database.Database, draw: Draw): boolean => rewriteRecord(database, draw) !== false

const removeFilesBeside = (file: string, names: readonly ('head' | 'guard')[] = ['head', 'guard']): void => {
  for (const name of names) rmSync(filesBeside(file)[name], { force: true })
}

/** What a rewritten record can be in conflict with: its document, its stream, its erasure, its credential, its rules. */
const MEANING = ['altered', 'missing'] as const
const SIGNATURES = ['signature', 'policy'] as const

/** One change of the history, made consistent further and further. */
const recomputed = (
  what: string,
  change: (database: Database.Database, draw: Draw) => boolean,
): readonly Mutation[] => [
  onRows(`${what}`, MEANING, change),
  onRows(`${what}, with the tree but not its nodes`, [...MEANING, 'differs', 'rolled_back'], (database, draw) => {
    const nodes = database.prepare('SELECT * FROM log_nodes').all()
    if (!change(database, draw)) return false
    rehead(database)
    database.exec('DELETE FROM log_nodes')
    const insert = database.prepare('INSERT INTO log_nodes (level, n, hash) VALUES (@level, @n, @hash)')
    for (const node of nodes) insert.run(node)
    return true
  }),
  onRows(`${what}, with the whole tree`, [...MEANING, 'rolled_back'], (database, draw) => {
    if (!change(database, draw)) return false
    rehead(database)
    return true
  }),
  {
    name: `${what}, with the whole tree, without head and guard`,
    found: [...MEANING, ...SIGNATURES, 'rolled_back', null],
    apply: ({ file, draw }) => {
      removeFilesBeside(file)
      let isChanged = false
      damage(file, (database) => {
        isChanged = change(database, draw)
        rehead(database)
      })
      return isChanged
    },
  },
  {
    name: `${what}, with the whole tree, without head, guard and checkpoints`,
    found: [...MEANING, 'policy', null],
    apply: ({ file, draw }) => {
      removeFilesBeside(file)
      let isChanged = false
      damage(file, (database) => {
        isChanged = change(database, draw)
        rehead(database)
        database.exec('DELETE FROM checkpoints; DELETE FROM cosignatures')
      })
      return isChanged
    },
  },
]

/** A change that needs nothing of the store that it is made in. */
const asChange =
  (work: Work) =>
  (database: Database.Database, draw: Draw): boolean =>
    work(database, draw, { file: '', older: [], policy: { keys: [], policy: null }, sizes: [] })

const history: readonly Mutation[] = [
  onRows('edit a body and its commitment', ['altered', 'missing'], (database, draw) => {
    const leaves = database.prepare('SELECT seq, leaf FROM events').all()
    const seq = rewriteRecord(database, draw)
    const restore = database.prepare('UPDATE events SET leaf = @leaf WHERE seq = @seq')
    for (const leaf of leaves) restore.run(leaf)
    return seq !== false
  }),
  ...recomputed('edit a record', rewrite),
  ...recomputed('remove a record', asChange(removeRecord)),
  ...recomputed('insert a record', asChange(insertRecord)),
  ...recomputed('swap two records', asChange(swapRecords)),
  ...recomputed('cut the end', asChange(cutEnd)),
  onRows('cut the end of the records alone', MEANING, (database, draw) => {
    database.exec(`DELETE FROM events WHERE seq >= ${2 + draw(lastOf(database) - 1)}`)
    return true
  }),
  onRows('exchange two salts', ['altered'], (database, draw) => {
    const seqs = database.prepare('SELECT seq FROM event_bodies ORDER BY seq').pluck().all() as number[]
    const [a, b] = [seqs[draw(seqs.length)], seqs[draw(seqs.length)]]
    const salts = [a, b].map((seq) => database.prepare('SELECT salt FROM event_bodies WHERE seq = ?').pluck().get(seq))
    const set = database.prepare('UPDATE event_bodies SET salt = ? WHERE seq = ?')
    set.run(salts[1], a)
    set.run(salts[0], b)
    return a !== b
  }),
  onRows('exchange two bodies with their salts', ['altered', 'missing'], (database, draw) => {
    const seqs = database.prepare('SELECT seq FROM event_bodies ORDER BY seq').pluck().all() as number[]
    const [a, b] = [seqs[draw(seqs.length)], seqs[draw(seqs.length)]]
    database.exec(`
      UPDATE event_bodies SET seq = -1 WHERE seq = ${a}; UPDATE event_bodies SET seq = ${a} WHERE seq = ${b};
      UPDATE event_bodies SET seq = ${b} WHERE seq = -1`)
    return a !== b
  }),
  onRows('put an erased body back', ['altered'], (database, draw, store) => {
    database.prepare('ATTACH ? AS older').run(store.older[0])
    const lost = database
      .prepare('SELECT seq FROM older.event_bodies WHERE seq NOT IN (SELECT seq FROM main.event_bodies) ORDER BY seq')
      .pluck()
      .all() as number[]
    if (lost.length === 0) throw new Error('no erased body is in the older copy')
    database.exec(
      `INSERT INTO main.event_bodies (seq, stream, version, salt, body)
       SELECT seq, stream, version, salt, body FROM older.event_bodies WHERE seq = ${lost[draw(lost.length)]}`,
    )
    return true
  }),
]

const documents: readonly Mutation[] = [
  onRows('exchange two documents', ['altered', 'missing'], (database, draw) => {
    const runs = database
      .prepare('SELECT DISTINCT run_no FROM document_frames ORDER BY run_no')
      .pluck()
      .all() as number[]
    const [a, b] = [runs[draw(runs.length)], runs[draw(runs.length)]]
    database.exec(`
      UPDATE document_frames SET run_no = -1 WHERE run_no = ${a}; UPDATE document_frames SET run_no = ${a} WHERE run_no = ${b};
      UPDATE document_frames SET run_no = ${b} WHERE run_no = -1`)
    return a !== b
  }),
  onRows('remove a document', ['missing'], (database, draw) => {
    const runs = database
      .prepare('SELECT DISTINCT run_no FROM document_frames ORDER BY run_no')
      .pluck()
      .all() as number[]
    database.exec(`DELETE FROM document_frames WHERE run_no = ${runs[draw(runs.length)]}`)
    return true
  }),
  removed('document_frames', ['missing']),
  inserted(
    'document_frames',
    ['altered'],
    'INSERT INTO document_frames SELECT run_no, n + 1000, raw_length, bytes FROM document_frames LIMIT 1 OFFSET ?',
  ),
]

const rows: readonly Mutation[] = [
  removed('events', ['missing']),
  removed('event_bodies', ['missing']),
  removed('log_head', ['altered']),
  removed('log_nodes', ['differs']),
  removed('password_hashes', ['missing']),
  removed('key_secrets', ['missing']),
  removed('identity_subjects', ['missing']),
  removed('webhook_targets', ['missing']),
  removed('plan_texts', ['missing']),
  removed('rubric_texts', ['missing']),
  removed('label_texts', ['missing']),
  removed('static_tokens', ['missing']),
  removed('hold_notes', ['missing']),
  removed('annotation_texts', ['missing']),
  removed('comment_texts', ['missing']),
  removed('invite_labels', ['missing']),
  removed('suite_setting_texts', ['missing']),
  // The label of an erased account or key is gone.
  onRows('remove a label', ['missing'], (database, draw) => {
    const ids = database.prepare('SELECT id FROM principals WHERE label IS NOT NULL ORDER BY id').pluck().all()
    database.prepare('UPDATE principals SET label = NULL WHERE id = ?').run(ids[draw(ids.length)])
    return true
  }),
  // Without the last row, the later schema is not that of the record.
  removed('migrations', ['altered']),
  onRows('remove the newest checkpoint', ['missing', 'altered'], (database) => {
    database.exec('DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints)')
    return true
  }),
  onRows('remove the signature of the time of a checkpoint', ['altered'], (database, draw, { sizes }) => {
    database.exec(`UPDATE checkpoints SET time_line = NULL WHERE size = ${sizes[draw(sizes.length)]}`)
    return true
  }),
  ...(['DELETE FROM restrictions', 'UPDATE grants SET level = 3'] as const).flatMap((act) =>
    (
      [
        ['a changed record of a migration', ['altered'], "UPDATE migrations SET sha256 = '' WHERE number = 5"],
        ['an unknown migration', ['unreadable'], "INSERT INTO migrations VALUES (99, '0099-later.sql', '', 0)"],
        ['a removed record', ['altered'], 'DELETE FROM migrations WHERE number = 7'],
      ] as const
    ).map(([what, found, change]) =>
      onRows(`add a trigger behind ${what}: ${act}`, found, (database) => {
        database.exec(`CREATE TRIGGER planted AFTER INSERT ON runs BEGIN ${act}; END; ${change}`)
        return true
      }),
    ),
  ),
  inserted(
    'principals',
    ['altered'],
    "INSERT INTO principals SELECT id || 'x', kind, 'x', salt FROM principals LIMIT 1 OFFSET ?",
  ),
  inserted(
    'hold_notes',
    ['altered'],
    "INSERT INTO hold_notes SELECT hold_id || 'x', note, salt FROM hold_notes LIMIT 1 OFFSET ?",
  ),
  inserted(
    'annotation_texts',
    ['altered'],
    "INSERT INTO annotation_texts SELECT annotation_id || 'x', run_no, texts, salt FROM annotation_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'comment_texts',
    ['altered'],
    "INSERT INTO comment_texts SELECT comment_id || 'x', run_no, case_key, text, salt FROM comment_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'invite_labels',
    ['altered'],
    "INSERT INTO invite_labels SELECT link_id || 'x', user_id, label, salt FROM invite_labels LIMIT 1 OFFSET ?",
  ),
  inserted(
    'suite_setting_texts',
    ['altered'],
    "INSERT INTO suite_setting_texts SELECT change_id || 'x', texts, salt FROM suite_setting_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'static_tokens',
    ['altered'],
    "INSERT INTO static_tokens SELECT id || 'x', salt, digest, since_seq FROM static_tokens LIMIT 1 OFFSET ?",
  ),
  inserted(
    'migrations',
    ['unreadable'],
    'INSERT INTO migrations SELECT number + 100, name, sha256, 0 FROM migrations LIMIT 1 OFFSET ?',
  ),
  onRows('remove a checkpoint that was cosigned', ['altered'], (database, draw, { sizes }) => {
    database.exec(`DELETE FROM checkpoints WHERE size = ${sizes[1 + draw(sizes.length - 1)]}`)
    return true
  }),
  inserted(
    'events',
    MEANING,
    'INSERT INTO events SELECT (SELECT max(seq) + 1 FROM events), recorded_at, type, commitment, leaf FROM events LIMIT 1 OFFSET ?',
  ),
  inserted(
    'event_bodies',
    MEANING,
    "INSERT INTO event_bodies (seq, stream, version, salt, body) SELECT 99999, stream || 'x', version, salt, body FROM event_bodies LIMIT 1 OFFSET ?",
  ),
  inserted(
    'log_nodes',
    ['differs'],
    'INSERT INTO log_nodes SELECT level, n + 100, hash FROM log_nodes LIMIT 1 OFFSET ?',
  ),
  inserted(
    'checkpoints',
    ['altered'],
    'INSERT INTO checkpoints SELECT size + 7, root, signed_at, note, time_line FROM checkpoints LIMIT 1 OFFSET ?',
  ),
  inserted(
    'cosignatures',
    ['altered'],
    "INSERT INTO cosignatures SELECT size, key_name || 'x', key_id, line, at FROM cosignatures LIMIT 1 OFFSET ?",
  ),
  inserted(
    'plan_texts',
    ['altered'],
    "INSERT INTO plan_texts SELECT plan_id || 'x', bytes FROM plan_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'rubric_texts',
    ['altered'],
    "INSERT INTO rubric_texts SELECT text_id || 'x', words, text FROM rubric_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'label_texts',
    ['altered'],
    "INSERT INTO label_texts SELECT label_id || 'x', texts, salt FROM label_texts LIMIT 1 OFFSET ?",
  ),
  inserted(
    'password_hashes',
    ['altered'],
    "INSERT INTO password_hashes SELECT user_id || 'x', hash FROM password_hashes LIMIT 1 OFFSET ?",
  ),
  inserted(
    'key_secrets',
    ['altered'],
    "INSERT INTO key_secrets SELECT key_id || 'x', prefix, secret_hash || 'x' FROM key_secrets LIMIT 1 OFFSET ?",
  ),
  inserted(
    'session_tokens',
    ['altered'],
    "INSERT INTO session_tokens SELECT session_id || 'x', token_hash || 'x' FROM session_tokens LIMIT 1 OFFSET ?",
  ),
  inserted(
    'webhook_targets',
    ['altered'],
    "INSERT INTO webhook_targets SELECT webhook_id || 'x', sealed FROM webhook_targets LIMIT 1 OFFSET ?",
  ),
  inserted(
    'identity_subjects',
    ['altered'],
    "INSERT INTO identity_subjects SELECT identity_id || 'x', user_id, provider || 'x', subject_sha256, subject_salt, subject, email, last_login_at FROM identity_subjects LIMIT 1 OFFSET ?",
  ),
]

const ORIGIN = 'results.example/log'

/** A checkpoint of another history of this size, signed by the key of this log or by a stranger. */
const forgedNote = async (size: number, seed: number): Promise<{ readonly note: string; readonly root: Buffer }> => {
  const root = Buffer.alloc(32, size)
  const text = checkpointText({ origin: ORIGIN, size, root })
  return { note: signedNote(text, [(await logKey(ORIGIN, seed)).sign(text)]), root }
}

const checkpoints: readonly Mutation[] = [
  {
    name: 'keep a checkpoint of another history',
    found: ['rolled_back'],
    apply: async ({ file, draw }) => {
      const size = 100 + draw(600)
      const { note, root } = await forgedNote(size, 2)
      damage(file, (database) => {
        database
          .prepare('INSERT INTO checkpoints (size, root, signed_at, note) VALUES (?, ?, 5, ?)')
          .run(size, root, note)
      })
      return true
    },
  },
  {
    name: 'keep a checkpoint that a stranger signed',
    found: ['signature'],
    apply: async ({ file, draw }) => {
      const size = 100 + draw(200)
      const root = rootIn(file, size)
      const text = checkpointText({ origin: ORIGIN, size, root })
      const note = signedNote(text, [(await logKey(ORIGIN, 9)).sign(text)])
      damage(file, (database) => {
        database
          .prepare('INSERT INTO checkpoints (size, root, signed_at, note) VALUES (?, ?, 5, ?)')
          .run(size, root, note)
      })
      return true
    },
  },
  {
    name: 'exchange the guard for that of another history',
    found: ['rolled_back'],
    apply: async ({ file, draw }) => {
      writeFileSync(filesBeside(file).guard, (await forgedNote(1 + draw(700), 2)).note)
      return true
    },
  },
  {
    name: 'damage the size or the root in the guard',
    found: ['rolled_back', 'unreadable'],
    apply: ({ file, draw }) => {
      const { guard } = filesBeside(file)
      const bytes = readFileSync(guard)
      const at = bytes.indexOf('\n') + 1 + draw(bytes.indexOf('\n\n') - bytes.indexOf('\n') - 1)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8))
      writeFileSync(guard, bytes)
      return true
    },
  },
  {
    name: 'exchange head for that of another history',
    found: ['rolled_back'],
    apply: ({ file, draw }) => {
      const { head } = filesBeside(file)
      rmSync(head)
      const opened = openHeadFile(head, {
        onFailure: (error) => {
          throw error
        },
      })
      opened.note({ size: 1 + draw(900), root: Buffer.alloc(32, 3), recorded_at: 0 })
      opened.close()
      return true
    },
  },
  {
    name: 'damage head',
    found: ['unreadable'],
    apply: ({ file, draw }) => {
      const { head } = filesBeside(file)
      const bytes = readFileSync(head)
      // Its two notes hold 145 characters each, 4096 bytes apart.
      const at = draw(145)
      for (const slot of [0, 4096]) bytes[slot + at] = (bytes[slot + at] ?? 0) ^ (1 << draw(8))
      writeFileSync(head, bytes)
      return true
    },
  },
]

/** The tables of which an older copy is put back alone, with what is found. */
const OLDER_TABLES: ReadonlyArray<readonly [table: string, found: Mutation['found'], columns: string]> = [
  ['events', MEANING, '*'],
  ['event_bodies', MEANING, 'seq, stream, version, salt, body'],
  ['log_head', MEANING, '*'],
  ['log_nodes', ['differs'], '*'],
  ['checkpoints', ['altered', 'missing'], '*'],
  ['document_frames', MEANING, '*'],
  ['password_hashes', MEANING, '*'],
  ['key_secrets', MEANING, '*'],
  ['session_tokens', ['altered'], '*'],
]

const olderCopies: readonly Mutation[] = [
  ...OLDER_TABLES.map(([table, found, names]) =>
    onRows(`put an older copy of ${table} back`, found, (database, draw, { older }) => {
      database.prepare('ATTACH ? AS older').run(older[draw(older.length)])
      const isSame =
        database
          .prepare(
            `SELECT 1 FROM (SELECT ${names} FROM main.${table} EXCEPT SELECT ${names} FROM older.${table}) UNION ALL
             SELECT 1 FROM (SELECT ${names} FROM older.${table} EXCEPT SELECT ${names} FROM main.${table}) LIMIT 1`,
          )
          .get() === undefined
      database.exec(`
        DELETE FROM main.${table};
        INSERT INTO main.${table} ${names === '*' ? '' : `(${names})`} SELECT ${names} FROM older.${table}`)
      return !isSame
    }),
  ),
  ...([[], ['head'], ['guard'], ['head', 'guard']] as const).map((without): Mutation => ({
    name: `put an older copy back, without ${without.join(' and ') || 'nothing'}`,
    found: without.length === 2 ? [null] : ['rolled_back'],
    apply: ({ file, store, draw }) => {
      putCopy(store.older[draw(store.older.length)] ?? '', file)
      removeFilesBeside(file, without)
      return true
    },
  })),
  {
    name: 'continue an older copy in another way, without head and guard',
    found: [null],
    apply: ({ file, store, draw }) => {
      putCopy(store.older[draw(store.older.length)] ?? '', file)
      record(
        file,
        Array.from({ length: 600 + draw(20) }, (_, n) => event(`service/fork-${n}`, 'CacheEntryDeleted', { key: 'k' })),
      )
      removeFilesBeside(file)
      return true
    },
  },
]

/** All ways to change a store, by kind. */
export const MUTATIONS: Readonly<Record<string, readonly Mutation[]>> = {
  columns,
  rows,
  history,
  documents,
  checkpoints,
  olderCopies,
}

export type Harmless = { readonly name: string; readonly act: (place: Place) => void }

/** What the service, its time or its owner may do to a store. */
export const HARMLESS: readonly Harmless[] = [
  {
    name: 'thin checkpoints',
    act: ({ file, store: { sizes }, draw }) => {
      // The newest one stays.
      const size = sizes[draw(sizes.length - 1)]
      damage(file, `DELETE FROM checkpoints WHERE size = ${size}; DELETE FROM cosignatures WHERE size = ${size}`)
    },
  },
  {
    name: 'lack a cosignature',
    act: ({ file, draw }) => damage(file, `DELETE FROM cosignatures WHERE rowid = ${1 + draw(8)}`),
  },
  {
    name: 'forget a session that expired',
    act: ({ file }) => damage(file, 'DELETE FROM session_tokens WHERE rowid = (SELECT min(rowid) FROM session_tokens)'),
  },
  {
    name: 'change what is not in the log',
    act: ({ file }) =>
      damage(
        file,
        `UPDATE migrations SET applied_at = 7; UPDATE identity_subjects SET email = 'e', last_login_at = 7; DELETE FROM witnesses`,
      ),
  },
  {
    name: 'write the file again',
    act: ({ file }) => onFile(file, (database) => void database.exec('PRAGMA synchronous = OFF; VACUUM')),
  },
  {
    name: 'record more than head notes',
    act: ({ file, draw }) =>
      record(
        file,
        Array.from({ length: 1 + draw(5) }, (_, n) => event(`service/more-${n}`, 'CacheEntryDeleted', { key: 'k' })),
      ),
  },
  { name: 'lack head', act: ({ file }) => removeFilesBeside(file, ['head']) },
  { name: 'lack the guard', act: ({ file }) => removeFilesBeside(file, ['guard']) },
]
