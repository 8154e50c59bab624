import { hash } from 'node:crypto'
import { z } from 'zod'
import { EVENT_NAMES, EVENTS } from '../../commands/events.ts'
import { annotationText } from '../../commands/annotation/events.ts'
import { commentText } from '../../commands/comment/events.ts'
import { noteText } from '../../commands/hold/events.ts'
import { linkedText } from '../../commands/identity/events.ts'
import { prefixText } from '../../commands/key/events.ts'
import { inviteLabelText } from '../../commands/link/events.ts'
import { labelText, type Principal } from '../../commands/principal.ts'
import { storedLabelText } from '../../commands/review/events.ts'
import { rubricText, rubricTextId } from '../../commands/rubric/events.ts'
import { tokenText } from '../../commands/service/record-start.ts'
import { settingText } from '../../commands/suite/events.ts'
import type { EventName } from '../../domain/proof/event-names.ts'
import { any, perDialect, sql, type Fragment } from '../../storage/sql.ts'
import { ask, type Steps } from '../../storage/commit/steps.ts'
import type { Query } from '../../storage/storage.ts'
import { VerificationFailed } from './finding.ts'
import { hasColumn, hasTable } from './stored-tables.ts'

type DigestType = { [T in EventName]: (typeof EVENTS)[T]['digests'] extends true ? T : never }[EventName]

/** The types of records that are followed here. */
export const DIGEST_TYPES = EVENT_NAMES.filter((name): name is DigestType => EVENTS[name].digests)

type Stored = {
  readonly table: string
  readonly id: string
  /** The text of a row of which the log has the digest. It differs per storage for bytes. */
  readonly text: Fragment | { readonly sqlite: Fragment; readonly postgres: Fragment }
  /** Whether the text begins with a salt, which stores of earlier versions lack. */
  readonly salted?: boolean
  /** Which rows have such a text, and which do in a store without the column of salts. */
  readonly where?: Fragment
  readonly whereUnsalted?: Fragment
  /** The number of the record that the row names, and that must have its digest. */
  readonly seq?: Fragment
  /** What it is called in messages. */
  readonly label: string
  /** The noun that notes count it under: one, and several. */
  readonly nouns: readonly [string, string]
  /** Whether it is deleted with the account that its record names. */
  readonly isOfAccount: boolean
}

const credential = (table: string, id: string, text: Fragment, label: string): Stored => ({
  ...{ table, id, text, label, nouns: ['credential', 'credentials'], isOfAccount: true },
})

/** The texts next to the log of which the log has the digests. */
const STORED = {
  password: credential('password_hashes', 'user_id', sql.fragment`hash`, 'password of account'),
  key: credential('key_secrets', 'key_id', sql.fragment`secret_hash`, 'secret of API key'),
  session: credential('session_tokens', 'session_id', sql.fragment`token_hash`, 'token of session'),
  identity: credential('identity_subjects', 'identity_id', linkedText, 'person of identity'),
  webhook: credential('webhook_targets', 'webhook_id', sql.fragment`sealed`, 'secret of webhook'),
  invite: {
    ...credential('invite_labels', 'link_id', inviteLabelText, 'label of invite'),
    nouns: ['label of an invite', 'labels of invites'],
  },
  prefix: {
    ...credential('key_secrets', 'key_id', prefixText, 'prefix of API key'),
    nouns: ['prefix of an API key', 'prefixes of API keys'],
  },
  token: {
    table: 'static_tokens',
    id: 'id',
    text: tokenText,
    seq: sql.fragment`since_seq`,
    label: 'note on the secret of static token',
    nouns: ['note on a static token', 'notes on static tokens'],
    isOfAccount: false,
  },
  label: {
    table: 'principals',
    id: 'id',
    text: labelText,
    salted: true,
    // A deleted label has no salt either.
    where: sql.fragment`(label IS NOT NULL OR salt IS NOT NULL)`,
    whereUnsalted: sql.fragment`label IS NOT NULL`,
    label: 'label of',
    nouns: ['label', 'labels'],
    isOfAccount: false,
  },
  note: {
    table: 'hold_notes',
    id: 'hold_id',
    text: noteText,
    salted: true,
    label: 'note of hold',
    nouns: ['note of a hold', 'notes of holds'],
    isOfAccount: false,
  },
  annotation: {
    table: 'annotation_texts',
    id: 'annotation_id',
    text: annotationText,
    salted: true,
    label: 'annotation',
    nouns: ['annotation of a run', 'annotations of runs'],
    isOfAccount: false,
  },
  comment: {
    table: 'comment_texts',
    id: 'comment_id',
    text: commentText,
    salted: true,
    label: 'comment',
    nouns: ['comment', 'comments'],
    isOfAccount: false,
  },
  reviewed: {
    table: 'label_texts',
    id: 'label_id',
    text: storedLabelText,
    salted: true,
    label: 'text of the label',
    nouns: ['text of a label', 'texts of labels'],
    isOfAccount: false,
  },
  rubric: {
    table: 'rubric_texts',
    id: 'text_id',
    text: rubricText,
    label: 'text of rubric',
    nouns: ['text of a rubric', 'texts of rubrics'],
    isOfAccount: false,
  },
  setting: {
    table: 'suite_setting_texts',
    id: 'change_id',
    text: settingText,
    salted: true,
    label: 'text of the setting of a suite',
    nouns: ['text of the setting of a suite', 'texts of settings of suites'],
    isOfAccount: false,
  },
} as const satisfies Record<string, Stored>
type Kind = keyof typeof STORED
const KINDS = Object.keys(STORED) as readonly Kind[]

const perKind = <T>(make: () => T): Record<Kind, T> =>
  Object.fromEntries(KINDS.map((kind) => [kind, make()])) as Record<Kind, T>

/**
 * What the log records: the account, the digest, and the number of the record where the row names it. The digest is
 * undefined in events of earlier versions. `mayBeGone`: it can be deleted without a record of its own.
 */
type Recorded = {
  readonly user_id: string
  readonly digest: string | undefined
  readonly mayBeGone: boolean
}

type Data = Readonly<Record<string, unknown>>

/** A record, or what an erasure keeps of it. */
export type DigestRecord = {
  readonly seq: number
  readonly type: string
  readonly data: Data
  readonly isErased: boolean
}

/** How many stored texts of a kind have no digest in the log. */
export type Uncovered = { readonly nouns: readonly [one: string, several: string]; readonly count: number }

/** Collects the digests that the log records, and compares them with what is stored. */
export type Digests = {
  readonly follow: (record: DigestRecord) => void
  /** Throws `VerificationFailed`. Returns the counts of what is stored without a digest in the log. */
  readonly check: () => Uncovered[]
}

const Row = z.object({ id: z.string(), stored: z.string().nullable(), seq: z.number().nullable() })
const ROWS_PER_READ = 1000

const listStored = (stored: Stored, after: string | null): Query<Array<z.infer<typeof Row>>> => {
  const { table, id, text, where = sql.fragment`TRUE`, seq = sql.fragment`CAST(NULL AS bigint)` } = stored
  const column = sql.identifier([id])
  const afterId = after === null ? sql.fragment`TRUE` : sql.fragment`${column} > ${after}`
  const rows = (read: Fragment) =>
    sql.type(Row)`
      SELECT ${column} AS id, ${read} AS stored, ${seq} AS seq FROM ${sql.identifier([table])}
      WHERE ${where} AND ${afterId} ORDER BY ${column} LIMIT ${ROWS_PER_READ}`
  return any('sqlite' in text ? perDialect(rows(text.sqlite), rows(text.postgres)) : rows(text))
}

const at = (digest: string, seq: number | null): string => (seq === null ? digest : `${digest} of record ${seq}`)

/** The digest of each stored text by its id; null for a salt without its text. */
function* readStored(kind: Kind): Steps<Map<string, string | null>> {
  const found = new Map<string, string | null>()
  const { salted = false, ...stored }: Stored = STORED[kind]
  // A store of an early version lacks some tables. If the log records something in them, it is missing.
  if (!(yield* ask(hasTable(stored.table)))) return found
  // Without the column of salts the log has no digests either, so the text is not compared.
  const hasText = !salted || (yield* ask(hasColumn(stored.table, 'salt')))
  const { whereUnsalted: where = sql.fragment`TRUE` } = stored
  const listed = hasText ? stored : { ...stored, text: sql.fragment`''`, where }
  for (let after: string | null = null; ;) {
    const rows: Array<z.infer<typeof Row>> = yield* ask(listStored(listed, after))
    for (const row of rows)
      found.set(row.id, row.stored === null && salted ? null : at(hash('sha256', row.stored ?? '', 'hex'), row.seq))
    after = rows.at(-1)?.id ?? null
    if (rows.length < ROWS_PER_READ) return found
  }
}

const KindRow = z.object({ id: z.string(), kind: z.string() })

const PRINCIPAL_KINDS: ReadonlyArray<Principal['kind']> = ['user', 'key', 'static']

/**
 * The kinds of accounts and keys without a label: no digest covers them. Where the records that name one are erased, the log
 * does not say which of the kinds it was.
 */
function* readUnlabelled(): Steps<Map<string, string>> {
  if (!(yield* ask(hasTable('principals')))) return new Map()
  const rows = yield* ask(any(sql.type(KindRow)`SELECT id, kind FROM principals WHERE label IS NULL`))
  return new Map(rows.map(({ id, kind }) => [id, kind]))
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads what is stored. The log must be read in the same snapshot. */
export function* digestsToVerify(): Steps<Digests> {
  const stored = perKind(() => new Map<string, string | null>())
  for (const kind of KINDS) stored[kind] = yield* readStored(kind)
  const unlabelled = yield* readUnlabelled()
  const { follow, end, kinds } = recordedDigests((session_id) => stored.session.has(session_id))
  return {
    follow,
    check: () => {
      for (const [id, kind] of unlabelled)
        if (!(kinds.has(id) ? [kinds.get(id)] : PRINCIPAL_KINDS).some((recorded) => recorded === kind))
          throw new VerificationFailed('altered', `the kind of ${id} is not the one that was recorded`)
      const expected = end((kind) => stored[kind].keys())
      const counts = KINDS.map((kind) => ({
        nouns: STORED[kind].nouns,
        count: compare(kind, stored[kind], expected[kind]),
      }))
      return [...Map.groupBy(counts, ({ nouns }) => nouns[1]).values()].flatMap((group) => {
        const count = group.reduce((sum, counted) => sum + counted.count, 0)
        return group[0] && count > 0 ? [{ nouns: group[0].nouns, count }] : []
      })
    },
  }
}

type Expected = Record<Kind, ReadonlyMap<string, Recorded>>

/** Follows the records. `end` returns what must be stored by kind; the ids of what is stored are given by kind. */
type RecordedDigests = Pick<Digests, 'follow'> & {
  readonly end: (storedIds: (kind: Kind) => Iterable<string>) => Expected
  /** Whether a recorded id is of a user or of a key. */
  readonly kinds: ReadonlyMap<string, Principal['kind']>
}

/**
 * Starts without records. A session that is no longer stored may have expired, so it is ignored; the log records many more
 * than are stored.
 */
const recordedDigests = (isStoredSession: (session_id: string) => boolean): RecordedDigests => {
  const recorded = perKind(() => new Map<string, Recorded>())
  const kinds = new Map<string, Principal['kind']>()
  const deleted = new Set<string>()
  /** What was added to each run that is stored: it is deleted with its run. */
  const ofRuns = new Map<unknown, Array<readonly [kind: 'annotation' | 'comment', id: string]>>()
  // Starts of earlier versions do not name the static tokens that they stored.
  let hasUnnamedTokens = false

  const note = (kind: Kind, id: unknown, digest: unknown, more: Partial<Recorded> = {}): void => {
    if (digest === null) recorded[kind].delete(textOrEmpty(id))
    else if (kind !== 'session' || isStoredSession(textOrEmpty(id)))
      recorded[kind].set(textOrEmpty(id), {
        user_id: '',
        digest: digest === undefined ? undefined : textOrEmpty(digest),
        mayBeGone: false,
        ...more,
      })
  }
  const noteCredential = (kind: Kind, id: string, { data }: DigestRecord, digest = 'credential_sha256'): void =>
    note(kind, data[id], data[digest], { user_id: textOrEmpty(data['user_id']) })
  /** The label of an account or key. With other records of a person, an erasure may have deleted it. */
  const noteLabel = (id: 'user_id' | 'key_id', { data, isErased }: DigestRecord): void => {
    kinds.set(textOrEmpty(data[id]), id === 'user_id' ? 'user' : 'key')
    const digest = data['label_sha256']
    note('label', data[id], digest, { mayBeGone: isErased || digest === undefined })
  }

  /**
   * What was added to a run. The erasure of the record deletes it. What was added to a run that is gone, with its own records, is
   * deleted too.
   */
  const noteOfRun = (kind: 'annotation' | 'comment', run_no: unknown, id: unknown, digest: unknown): void => {
    const ofRun = ofRuns.get(run_no)
    if (!ofRun) return
    note(kind, id, digest)
    ofRun.push([kind, textOrEmpty(id)])
  }

  /** One for each type: one that is missing does not compile. */
  const followers: { readonly [T in DigestType]: (record: DigestRecord) => void } = {
    UserCreated: (record) => {
      if (record.data['has_password'] === true) noteCredential('password', 'user_id', record)
      noteLabel('user_id', record)
    },
    UserChanged: (record) => {
      if (record.data['password_replaced'] === true) noteCredential('password', 'user_id', record)
    },
    UserDeleted: ({ data }) => {
      deleted.add(textOrEmpty(data['user_id']))
      kinds.set(textOrEmpty(data['user_id']), 'user')
    },
    KeyMinted: (record) => {
      noteCredential('key', 'key_id', record)
      noteCredential('prefix', 'key_id', record, 'prefix_sha256')
      noteLabel('key_id', record)
    },
    InviteMade: (record) => {
      if (record.data['label_sha256'] !== null) noteCredential('invite', 'link_id', record, 'label_sha256')
    },
    LinkUsed: ({ data }) => recorded.invite.delete(textOrEmpty(data['link_id'])),
    LinkRevoked: ({ data }) => recorded.invite.delete(textOrEmpty(data['link_id'])),
    SignedIn: (record) => noteCredential('session', 'session_id', record),
    IdentityLinked: (record) => noteCredential('identity', 'identity_id', record),
    WebhookCreated: (record) => noteCredential('webhook', 'webhook_id', record),
    WebhookSecretReplaced: (record) => noteCredential('webhook', 'webhook_id', record),
    WebhookDeleted: ({ data }) => recorded.webhook.delete(textOrEmpty(data['webhook_id'])),
    SignedOut: ({ data }) => recorded.session.delete(textOrEmpty(data['session_id'])),
    SessionsEnded: ({ data }) => {
      for (const [id, { user_id }] of recorded.session)
        if (user_id === textOrEmpty(data['user_id']) && id !== data['except']) recorded.session.delete(id)
    },
    // The erasure of the record deletes the note. Earlier versions left it.
    HoldPlaced: ({ data: { hold_id, note_sha256 }, isErased }) => {
      const mayBeGone = note_sha256 === undefined
      note('note', hold_id, isErased && !mayBeGone ? null : note_sha256, { mayBeGone })
    },
    RunIngested: ({ data: { run_no } }) => ofRuns.set(run_no, []),
    RunDeleted: ({ data: { run_no } }) => {
      for (const [kind, id] of ofRuns.get(run_no) ?? []) recorded[kind].delete(id)
      ofRuns.delete(run_no)
    },
    RunAnnotated: ({ data: { annotation_id, run_no, texts_sha256 }, isErased }) => {
      if (!isErased) noteOfRun('annotation', run_no, annotation_id, texts_sha256)
    },
    RunCommented: ({ data: { comment_id, run_no, text_sha256 }, isErased }) => {
      if (!isErased) noteOfRun('comment', run_no, comment_id, text_sha256)
    },
    CommentDeleted: ({ data: { comment_id } }) => recorded.comment.delete(textOrEmpty(comment_id)),
    LabelGiven: ({ data: { label_id, text_sha256 }, isErased }) =>
      note('reviewed', label_id, isErased ? null : text_sha256),
    ItemAdjudicated: ({ data: { label_id, text_sha256 }, isErased }) =>
      note('reviewed', label_id, isErased ? null : text_sha256),
    // Its words stay when the record is erased.
    RubricVersioned: ({ data: { rubric_id, version, text_sha256 } }) =>
      note('rubric', rubricTextId(textOrEmpty(rubric_id), Number(version)), text_sha256),
    // The erasure of the record deletes the texts.
    SuiteSettingChanged: ({ data: { change_id, texts_sha256 }, isErased }) =>
      note('setting', change_id, isErased ? null : texts_sha256),
    Started: ({ seq, data: { static_tokens } }) => {
      if (!Array.isArray(static_tokens)) hasUnnamedTokens = true
      const tokens: readonly Data[] = Array.isArray(static_tokens) ? static_tokens : []
      for (const { id, label_sha256, credential_sha256 } of tokens) {
        note('label', id, label_sha256)
        if (credential_sha256 !== null) note('token', id, at(textOrEmpty(credential_sha256), seq))
      }
    },
  }
  const byType: ReadonlyMap<string, (record: DigestRecord) => void> = new Map(Object.entries(followers))

  return {
    follow: (record) => byType.get(record.type)?.(record),
    kinds,
    end: (storedIds) => {
      if (hasUnnamedTokens)
        for (const kind of ['token', 'label'] as const)
          for (const id of storedIds(kind))
            if (id.startsWith('static:') && !recorded[kind].has(id)) note(kind, id, undefined)
      for (const kind of KINDS)
        if (STORED[kind].isOfAccount)
          for (const [id, { user_id }] of recorded[kind]) if (deleted.has(user_id)) recorded[kind].delete(id)
      return recorded
    },
  }
}

/** Throws `VerificationFailed` for the first text that differs from the log. Returns the number of texts without a digest. */
const compare = (
  kind: Kind,
  stored: ReadonlyMap<string, string | null>,
  recorded: ReadonlyMap<string, Recorded>,
): number => {
  const { label } = STORED[kind]
  for (const [id, { mayBeGone }] of recorded)
    if (!mayBeGone && (stored.get(id) ?? null) === null)
      throw new VerificationFailed('missing', `the ${label} ${id} is missing, and no record removes it`)
  let uncovered = 0
  for (const [id, digest] of stored) {
    const expected = recorded.get(id)
    if (!expected) throw new VerificationFailed('altered', `the ${label} ${id} exists, but no record creates it`)
    if (expected.digest === undefined) uncovered++
    else if (expected.digest !== digest)
      throw new VerificationFailed('altered', `the ${label} ${id} is not the one that was recorded`)
  }
  return uncovered
}
