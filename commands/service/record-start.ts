import { listStaticTokens } from '../../queries/access/static-tokens.ts'
import type { Viewer } from '../../queries/access/viewer.ts'
import { sql, statement } from '../../storage/sql.ts'
import type { Statement } from '../../storage/storage.ts'
import { command } from '../command.ts'
import { credentialDigest, newSalt } from '../credential.ts'
import { labelDigest, storeLabel, type Principal } from '../principal.ts'
import { serviceStarted, type Started } from './events.ts'

/** A static token whose secret is new. `replaces` is the salt of the earlier secret; null for a new id. All are hex. */
export type NewToken = {
  readonly id: string
  readonly salt: string
  readonly digest: string
  readonly replaces: string | null
}

/** `principals` are the static tokens, `tokens` those among them whose secrets are new. */
type Start = Omit<Started['data'], 'static_tokens'> & {
  readonly instance: string
  readonly principals: readonly Principal[]
  readonly tokens: readonly NewToken[]
  /** Random hex for the digests of the labels; drawn if it is not given. */
  readonly label_salt?: string
}

/**
 * Records that an instance started (build, schema, a configuration digest without secrets), labels its static tokens, and
 * notes that some have new secrets from this record on. If another replica has noted a token since it was read, that note is not
 * changed.
 */
export const recordStart = (viewer: Viewer, { instance, principals, tokens, label_salt = newSalt(), ...data }: Start) =>
  command(viewer, {
    facts: { known: listStaticTokens },

    decide({ known }) {
      const salts = new Map(known.map(({ id, salt }) => [id, salt.toString('hex')]))
      const noted = new Map(
        tokens.filter(({ id, replaces }) => (salts.get(id) ?? null) === replaces).map((token) => [token.id, token]),
      )
      const static_tokens = principals.map((principal) => ({
        credential_sha256: credentialDigest(saltedDigest(noted.get(principal.id))),
        id: principal.id,
        label_sha256: labelDigest(principal, label_salt),
      }))
      return [
        {
          ...serviceStarted(instance, { ...data, static_tokens }),
          statements: [
            ...principals.map((principal) => storeLabel(principal, label_salt)),
            ...[...noted.values()].map(noteToken),
          ],
        },
      ]
    },
  })

const saltedDigest = (token: NewToken | undefined): string | null => (token ? `${token.salt} ${token.digest}` : null)

const hexColumn = (column: 'salt' | 'digest') => ({
  sqlite: sql.fragment`lower(hex(${sql.identifier([column])}))`,
  postgres: sql.fragment`encode(${sql.identifier([column])}, 'hex')`,
})

/** The text of a row of `static_tokens` whose digest is in the event, on each storage. */
export const tokenText = {
  sqlite: sql.fragment`${hexColumn('salt').sqlite} || ' ' || ${hexColumn('digest').sqlite}`,
  postgres: sql.fragment`${hexColumn('salt').postgres} || ' ' || ${hexColumn('digest').postgres}`,
}

const bytes = (hex: string) => sql.binary(Buffer.from(hex, 'hex'))

/** The last record is then the start itself. */
const noteToken = ({ id, salt, digest }: NewToken): Statement => statement`
  INSERT INTO static_tokens (id, salt, digest, since_seq)
  VALUES (${id}, ${bytes(salt)}, ${bytes(digest)}, (SELECT max(seq) FROM events))
  ON CONFLICT (id) DO UPDATE SET salt = excluded.salt, digest = excluded.digest, since_seq = excluded.since_seq`
