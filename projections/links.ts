import { statement } from '../storage/sql.ts'
import { projection } from './projection.ts'

/** Invites and links to set a password, until they are used, revoked or replaced. Whom an invite is for is next to the log. */
export const links = projection(
  { name: 'links', version: 1, tables: ['account_links'] },
  {
    InviteMade: ({ recorded_at, data: { link_id, secret_sha256, role, grants, expires_at, user_id } }) => [
      statement`
        INSERT INTO account_links (link_id, kind, secret_sha256, user_id, role, granted, expires_at, made_by, made_at)
        VALUES (${link_id}, 'invite', ${secret_sha256}, NULL, ${role}, ${JSON.stringify(grants)}, ${expires_at}, ${user_id}, ${recorded_at})`,
    ],
    ResetLinkMade: ({ recorded_at, actor, data: { link_id, secret_sha256, expires_at, user_id } }) => [
      statement`DELETE FROM account_links WHERE user_id = ${user_id}`,
      // The account of a maker whose records are erased was deleted, and its links with it.
      ...(actor.user_id === null
        ? []
        : [
            statement`
              INSERT INTO account_links (link_id, kind, secret_sha256, user_id, role, granted, expires_at, made_by, made_at)
              VALUES (${link_id}, 'reset', ${secret_sha256}, ${user_id}, NULL, NULL, ${expires_at}, ${actor.user_id}, ${recorded_at})`,
          ]),
    ],
    LinkUsed: ({ data: { link_id } }) => [statement`DELETE FROM account_links WHERE link_id = ${link_id}`],
    LinkRevoked: ({ data: { link_id } }) => [statement`DELETE FROM account_links WHERE link_id = ${link_id}`],
    // A link does not outlive the password that it was to replace, and does not work again when the account is enabled.
    UserChanged: ({ data: { user_id, disabled, password_replaced } }) =>
      disabled === true || password_replaced ? [statement`DELETE FROM account_links WHERE user_id = ${user_id}`] : [],
    UserDeleted: ({ data: { user_id } }) => [
      statement`DELETE FROM account_links WHERE user_id = ${user_id} OR made_by = ${user_id}`,
    ],
  },
)
