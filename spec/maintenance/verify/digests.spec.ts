import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userChanged, userCreated, userDeleted } from '../../../commands/account/events.ts'
import { keyMinted } from '../../../commands/key/events.ts'
import { signedIn } from '../../../commands/session/events.ts'
import { hashOfToken, newApiKey, newSessionToken, shownPrefixOf } from '../../../http/identity/secrets.ts'
import { project } from '../../../projections/index.ts'
import { CLI, SYSTEM, type Viewer } from '../../../queries/access/viewer.ts'
import type { NewEvent } from '../../../storage/command.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { onPostgres, openFreshService, type FreshService } from '../../support/stores/open-fresh.ts'
import { openStorage } from '../../support/stores/open-storage.ts'
import { aCommand } from '../../support/stores/store.ts'
import { verifyStore } from '../../support/stores/verified.ts'

const DAY = 24 * 60 * 60 * 1000

let opened: FreshService
let at: number
beforeEach(async () => {
  at = 1_777_885_244_000
  opened = await openFreshService({ now: () => at })
})
afterEach(() => opened.close())

const finding = async () => (await verifyStore(opened)).finding
const run = (text: string): Promise<void> => opened.sql.execute(text)

const createUser = (user_id: string) =>
  opened.service.commit.createUser(SYSTEM, {
    user_id,
    username: `name of ${user_id}`,
    password_hash: `$argon2id$${user_id}`,
    role: 'admin',
  })
const signIn = (user_id: string, session_id: string) =>
  opened.service.commit.signIn(SYSTEM, {
    user_id,
    password_hash: `$argon2id$${user_id}`,
    session_id,
    token_hash: hashOfToken(newSessionToken()),
  })
const by = (user_id: string): Viewer =>
  viewerOf({ kind: 'session', credential_id: `session-${user_id}`, user_id }, null)
const mint = (user_id: string, key_id: string) => {
  const key = newApiKey()
  return opened.service.commit.mintKey(by(user_id), {
    at: 0,
    key_id,
    name: null,
    prefix: shownPrefixOf(key),
    secret_hash: hashOfToken(key),
    scope: 'read',
  })
}

/** A person signs in through a provider. */
const signInThrough = (user_id: string, session_id: string) =>
  opened.service.commit.signInWithIdentity(SYSTEM, {
    user_id,
    identity_id: `identity-${user_id}`,
    provider: 'oidc:corp',
    subject: `subject of ${user_id}`,
    salt: `salt of ${user_id}`,
    email: null,
    role: 'member',
    rule: 'default_role',
    usernames: [`name of ${user_id}`],
    expected: null,
    replay: null,
    session_id,
    token_hash: hashOfToken(newSessionToken()),
    at,
  })

/** Two accounts, each with a session and a key, and two accounts of a provider. */
const accounts = async (): Promise<void> => {
  for (const id of ['ann', 'bob']) {
    await createUser(id)
    await signIn(id, `session-${id}`)
    await mint(id, `key-${id}`)
  }
  for (const id of ['ida', 'ivo']) await signInThrough(id, `session-${id}`)
}

describe('credentials', () => {
  it('are valid when set, replaced, revoked, and deleted with their account', async () => {
    await opened.service.commit.setUp(SYSTEM, {
      user_id: 'root',
      username: 'root',
      password_hash: '$argon2id$root',
      session_id: 'first',
      token_hash: hashOfToken(newSessionToken()),
    })
    await accounts()
    await opened.service.commit.changeUser(SYSTEM, {
      user_id: 'ann',
      role: null,
      disabled: null,
      password_hash: '$argon2id$another',
    })
    await opened.service.commit.changeUser(SYSTEM, {
      user_id: 'bob',
      role: 'viewer',
      disabled: null,
      password_hash: null,
    })
    await opened.service.commit.ensureAdmin(SYSTEM, {
      username: 'boot',
      user_id: 'boot',
      found: null,
      password_hash: '$argon2id$boot',
    })
    await opened.service.commit.revokeKey(by('ann'), { key_id: 'key-ann' })
    await opened.service.commit.signOut(by('ann'), {})
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
    for (const user_id of ['bob', 'ivo']) await opened.service.commit.deleteUser(SYSTEM, { user_id })
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
  })

  it('are valid after sessions expired and were deleted', async () => {
    await accounts()
    at += 31 * DAY
    await signIn('ann', 'later')
    expect(await opened.sql.column('SELECT session_id FROM session_tokens')).toEqual(['later'])
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
  })

  // The copied value is unique, so the original must be deleted first.
  const copied = (table: string, id: string, column: string): string =>
    `CREATE TABLE kept AS SELECT ${column} AS hash FROM ${table} WHERE ${id} LIKE '%ann'; DELETE FROM ${table} WHERE ${id} LIKE '%ann'; UPDATE ${table} SET ${column} = (SELECT hash FROM kept) WHERE ${id} LIKE '%bob'; DROP TABLE kept`

  // Both storages compare with the same queries.
  it.skipIf(onPostgres).each([
    [
      'a password hash of another account',
      "UPDATE password_hashes SET hash = (SELECT hash FROM password_hashes WHERE user_id = 'ann') WHERE user_id = 'bob'",
      'altered',
      'the password of account bob is not the one that was recorded',
    ],
    [
      'a replaced password hash',
      "UPDATE password_hashes SET hash = '$argon2id$mine' WHERE user_id = 'ann'",
      'altered',
      'the password of account ann is not the one that was recorded',
    ],
    [
      'a replaced key secret',
      "UPDATE key_secrets SET secret_hash = 'mine' WHERE key_id = 'key-bob'",
      'altered',
      'the secret of API key key-bob is not the one that was recorded',
    ],
    [
      'a replaced session token',
      "UPDATE session_tokens SET token_hash = 'mine' WHERE session_id = 'session-ann'",
      'altered',
      'the token of session session-ann is not the one that was recorded',
    ],
    [
      'the token of another session',
      copied('session_tokens', 'session_id', 'token_hash'),
      'altered',
      'the token of session session-bob is not the one that was recorded',
    ],
    [
      'no password hash',
      "DELETE FROM password_hashes WHERE user_id = 'ann'",
      'missing',
      'the password of account ann is missing, and no record removes it',
    ],
    [
      'no key secret',
      "DELETE FROM key_secrets WHERE key_id = 'key-ann'",
      'missing',
      'the secret of API key key-ann is missing, and no record removes it',
    ],
    [
      'an additional password hash',
      "INSERT INTO password_hashes (user_id, hash) VALUES ('eve', 'mine')",
      'altered',
      'the password of account eve exists, but no record creates it',
    ],
    [
      'an additional key secret',
      "INSERT INTO key_secrets (key_id, prefix, secret_hash) VALUES ('key-eve', 'p', 'mine')",
      'altered',
      'the secret of API key key-eve exists, but no record creates it',
    ],
    [
      'an additional session token',
      "INSERT INTO session_tokens (session_id, token_hash) VALUES ('session-eve', 'mine')",
      'altered',
      'the token of session session-eve exists, but no record creates it',
    ],
    [
      'the person of another account',
      "UPDATE identity_subjects SET provider = 'x' WHERE user_id = 'ivo'; UPDATE identity_subjects SET subject_sha256 = (SELECT subject_sha256 FROM identity_subjects WHERE user_id = 'ivo') WHERE user_id = 'ida'; DELETE FROM identity_subjects WHERE user_id = 'ivo'",
      'missing',
      'the person of identity identity-ivo is missing, and no record removes it',
    ],
    [
      'another person',
      "UPDATE identity_subjects SET subject_sha256 = 'mine' WHERE user_id = 'ida'",
      'altered',
      'the person of identity identity-ida is not the one that was recorded',
    ],
    [
      'the person of another provider',
      "UPDATE identity_subjects SET provider = 'oidc:mine' WHERE user_id = 'ida'",
      'altered',
      'the person of identity identity-ida is not the one that was recorded',
    ],
    [
      'a person linked to another account',
      "UPDATE identity_subjects SET user_id = 'ann' WHERE user_id = 'ida'",
      'altered',
      'the person of identity identity-ida is not the one that was recorded',
    ],
    [
      'an additional person',
      "INSERT INTO identity_subjects (identity_id, user_id, provider, subject_sha256, subject_salt, subject, last_login_at) VALUES ('eve', 'ann', 'oidc:corp', 'mine', '', '', 1)",
      'altered',
      'the person of identity eve exists, but no record creates it',
    ],
  ] as const)('with %s are reported', async (_, work, kind, message) => {
    await accounts()
    expect(await finding()).toBeNull()
    await run(work)
    expect(await finding()).toEqual({ kind, message })
  })

  it('that return after a deletion or a sign-out are reported', async () => {
    await accounts()
    const [token] = await opened.sql.column("SELECT token_hash FROM session_tokens WHERE session_id = 'session-bob'")
    await opened.service.commit.signOut(by('bob'), {})
    await run(`INSERT INTO session_tokens (session_id, token_hash) VALUES ('session-bob', '${String(token)}')`)
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'the token of session session-bob exists, but no record creates it',
    })
    await opened.service.commit.deleteUser(SYSTEM, { user_id: 'bob' })
    await run("DELETE FROM session_tokens; INSERT INTO password_hashes (user_id, hash) VALUES ('bob', '$argon2id$bob')")
    expect(await finding()).toEqual({
      kind: 'altered',
      message: 'the password of account bob exists, but no record creates it',
    })
  })
})

describe('labels, prefixes, notes of holds and static tokens', () => {
  const TOKENS = [1, 2].map((n) => ({ id: `static:write:${n}`, salt: `0${n}`, digest: `1${n}`, replaces: null }))
  const start = (tokens: typeof TOKENS) =>
    opened.service.commit.recordStart(SYSTEM, {
      ...{ instance: 'i', config_sha256: '', schema: 23, version: '1', tokens },
      principals: TOKENS.map(({ id }) => ({ id, kind: 'static' as const, label: 'write' })),
    })
  const place = (hold_id: string, note: string | null) =>
    opened.service.commit.placeHold(CLI, { hold_id, run_id: null, project: 'p', suite: null, reference: hold_id, note })

  beforeEach(async () => {
    await accounts()
    await start(TOKENS)
    await start([])
    await place('h1', 'Ask counsel first.')
    await place('h2', 'Kept for the audit.')
    await place('h3', null)
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
  })

  it.skipIf(onPostgres).each([
    ['a renamed account', "UPDATE principals SET label = 'root' WHERE id = 'ann'", 'altered', 'label of ann'],
    [
      'the name and the salt of another account',
      "UPDATE principals SET label = 'name of bob', salt = (SELECT salt FROM principals WHERE id = 'bob') WHERE id = 'ann'",
      'altered',
      'label of ann',
    ],
    ['a label of another kind', "UPDATE principals SET kind = 'key' WHERE id = 'ann'", 'altered', 'label of ann'],
    ['a label without its salt', "UPDATE principals SET salt = NULL WHERE id = 'ann'", 'altered', 'label of ann'],
    ['a removed label', "UPDATE principals SET label = NULL WHERE id = 'ann'", 'missing', 'label of ann'],
    ['a removed account', "DELETE FROM principals WHERE id = 'bob'", 'missing', 'label of bob'],
    ['a named key', "UPDATE principals SET label = 'x' WHERE id = 'key-ann'", 'altered', 'label of key-ann'],
    ['an additional label', "INSERT INTO principals VALUES ('eve', 'user', 'eve', NULL)", 'altered', 'label of eve'],
    [
      'a static token of another scope',
      "UPDATE principals SET label = 'read' WHERE id = 'static:write:1'",
      'altered',
      'label of static:write:1',
    ],
    [
      'an additional static token',
      "INSERT INTO principals VALUES ('static:write:3', 'static', 'write', NULL)",
      'altered',
      'label of static:write:3',
    ],
    [
      'another prefix of a key',
      "UPDATE key_secrets SET prefix = 'service_00000000' WHERE key_id = 'key-ann'",
      'altered',
      'prefix of API key key-ann',
    ],
    [
      'another note',
      "UPDATE hold_notes SET note = 'Nothing to see.' WHERE hold_id = 'h1'",
      'altered',
      'note of hold h1',
    ],
    ['a note without its salt', "UPDATE hold_notes SET salt = NULL WHERE hold_id = 'h1'", 'altered', 'note of hold h1'],
    ['a missing note', "DELETE FROM hold_notes WHERE hold_id = 'h2'", 'missing', 'note of hold h2'],
    [
      'a note of a hold that has none',
      "UPDATE hold_notes SET hold_id = 'h3' WHERE hold_id = 'h2'",
      'missing',
      'note of hold h2',
    ],
    ['an additional note', "INSERT INTO hold_notes VALUES ('h3', 'x', '0')", 'altered', 'note of hold h3'],
    [
      'an earlier start of a static token',
      "UPDATE static_tokens SET since_seq = 0 WHERE id = 'static:write:1'",
      'altered',
      'note on the secret of static token static:write:1',
    ],
    [
      'a later start of a static token',
      "UPDATE static_tokens SET since_seq = since_seq + 1 WHERE id = 'static:write:2'",
      'altered',
      'note on the secret of static token static:write:2',
    ],
    [
      'the secret of another static token',
      "UPDATE static_tokens SET salt = (SELECT salt FROM static_tokens WHERE id = 'static:write:1'), digest = (SELECT digest FROM static_tokens WHERE id = 'static:write:1') WHERE id = 'static:write:2'",
      'altered',
      'note on the secret of static token static:write:2',
    ],
    [
      'a missing static token',
      "DELETE FROM static_tokens WHERE id = 'static:write:1'",
      'missing',
      'note on the secret of static token static:write:1',
    ],
  ] as const)('with %s are reported', async (_, work, kind, what) => {
    await run(work)
    const { finding: found } = await verifyStore(opened)
    expect(found?.kind).toBe(kind)
    expect(found?.message).toMatch(new RegExp(`^the ${what} (?:is|exists)`))
  })

  it('are as recorded after a new secret, and after the deletion and the erasure of an account', async () => {
    await start([{ id: 'static:write:1', salt: '03', digest: '13', replaces: '01' }].map((token) => token as never))
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
    await opened.service.commit.deleteUser(SYSTEM, { user_id: 'bob' })
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
    await erase({ user_id: 'bob' })
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
    expect(await opened.sql.rows("SELECT label, salt FROM principals WHERE id IN ('bob', 'key-bob')")).toEqual([
      { label: null, salt: null },
      { label: null, salt: null },
    ])
    await run("UPDATE principals SET label = 'name of bob' WHERE id = 'bob'")
    expect(await finding()).toMatchObject({ kind: 'altered' })
  })

  it('are as recorded after the erasure of a hold, which deletes its note', async () => {
    const [seq] = await opened.sql.column("SELECT min(seq) FROM events WHERE type = 'HoldPlaced'")
    await erase({ seqs: [Number(seq)] })
    expect(await opened.sql.column('SELECT hold_id FROM hold_notes')).toEqual(['h2'])
    expect(await verifyStore(opened)).toMatchObject({ finding: null, notes: [] })
    await run("INSERT INTO hold_notes VALUES ('h1', 'Ask counsel first.', '0')")
    expect(await finding()).toMatchObject({
      kind: 'altered',
      message: expect.stringContaining('note of hold h1') as string,
    })
  })

  const erase = (target: { readonly user_id: string } | { readonly seqs: readonly number[] }) =>
    opened.service.commit.eraseRecords(CLI, { erasure_id: 'e', target, reference: 'case-1', dry_run: false, after: 0 })
})

describe('credentials recorded without a digest by an earlier version', () => {
  const asBefore = ({ data, ...event }: NewEvent): NewEvent => {
    const {
      credential_sha256: _,
      label_sha256: _label,
      prefix_sha256: _prefix,
      ...before
    } = data as Record<string, unknown>
    return { ...event, data: before }
  }
  const user = (user_id: string): NewEvent =>
    userCreated(
      { has_password: true, role: 'admin', user_id },
      { username: user_id, password_hash: `$argon2id$${user_id}`, label_salt: '0' },
    )
  const changed = (user_id: string, hash: string): NewEvent =>
    userChanged({ disabled: null, password_replaced: true, role: null, user_id }, hash)
  const key = keyMinted(
    { key_id: 'key', scope: 'read', user_id: 'ann' },
    { name: null, prefix: 'p', secret_hash: 'digest of the key', label_salt: '0' },
  )
  const session = signedIn('ann', { session_id: 'session', token_hash: 'digest of the token' })

  const store = async (...events: readonly NewEvent[]) => {
    const storage = await openStorage({ project })
    expect(await storage.commitAll(aCommand(events))).toMatchObject([{ ok: true }])
    const look = () =>
      verifyStore({
        databaseUrl: storage.databaseUrl,
        dataDir: dirname(storage.writer?.connection.database.name ?? ''),
      })
    return { ...storage, look }
  }

  it('are counted as not covered; those set later are covered', async () => {
    const { look, sql, close } = await store(
      ...[user('ann'), user('bob'), key, session].map(asBefore),
      user('cara'),
      changed('bob', '$argon2id$new'),
    )
    expect(await look()).toMatchObject({
      finding: null,
      notes: [
        'not covered: 3 credentials, 1 prefix of an API key, 2 labels, which were recorded without a digest by an earlier version',
      ],
    })
    await sql.execute("UPDATE password_hashes SET hash = '$argon2id$mine' WHERE user_id = 'ann'")
    expect(await look()).toMatchObject({ finding: null })
    await sql.execute(
      "UPDATE password_hashes SET hash = (SELECT hash FROM password_hashes WHERE user_id = 'cara') WHERE user_id = 'bob'",
    )
    expect((await look()).finding).toEqual({
      kind: 'altered',
      message: 'the password of account bob is not the one that was recorded',
    })
    await close()
  })

  it('are reported if missing, and are not counted after their account is deleted', async () => {
    const { look, sql, close } = await store(
      ...[user('ann'), key, user('bob')].map(asBefore),
      userDeleted({ user_id: 'ann' }),
    )
    expect(await look()).toMatchObject({
      finding: null,
      notes: ['not covered: 1 credential, 2 labels, which were recorded without a digest by an earlier version'],
    })
    await sql.execute('DELETE FROM password_hashes')
    expect((await look()).finding).toEqual({
      kind: 'missing',
      message: 'the password of account bob is missing, and no record removes it',
    })
    await close()
  })

  it('do not include the missing password of an account that was created without one', async () => {
    const without = userCreated(
      { has_password: false, role: 'member', user_id: 'ann' },
      { username: 'ann', password_hash: null, label_salt: '0' },
    )
    const { look, close } = await store(without)
    expect(await look()).toMatchObject({ finding: null, notes: [] })
    await close()
  })
})
