import { statement } from '../storage/sql.ts'
import { projection } from './projection.ts'

/** The keys that open the image of a suite. */
export const badgeKeys = projection(
  { name: 'badge_keys', version: 1, tables: ['badge_keys'] },
  {
    BadgeKeyMinted: ({ data, recorded_at }) => [
      statement`
        INSERT INTO badge_keys (key_sha256, project, suite, minted_at)
        VALUES (${data.key_sha256}, ${data.project}, ${data.suite}, ${recorded_at})`,
    ],
    BadgeKeysRevoked: ({ data }) => [
      statement`DELETE FROM badge_keys WHERE project = ${data.project} AND suite = ${data.suite}`,
    ],
    // A key was made for what was to be seen then. It does not outlive a restriction, and not its end.
    SetRestricted: ({ data: { project, suite } }) => [
      suite === null
        ? statement`DELETE FROM badge_keys WHERE project = ${project}`
        : statement`DELETE FROM badge_keys WHERE project = ${project} AND suite = ${suite}`,
    ],
  },
)
