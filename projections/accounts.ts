import { isEnded, MAX_DELETED_SESSIONS, sessionSpan } from '../commands/session/events.ts'
import { statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { projection } from './projection.ts'

/** Accounts, their sessions and their keys. The commands store credentials and identities in tables of their own. */
export const accounts = projection(
  { name: 'accounts', version: 2, tables: ['users', 'sessions', 'api_keys'] },
  {
    UserCreated: ({ data: { user_id, role, has_password, service = false }, recorded_at }) => [
      statement`
        INSERT INTO users (id, role, disabled, has_password, created_at, service)
        VALUES (${user_id}, ${role}, ${false}, ${has_password}, ${recorded_at}, ${service})`,
    ],
    UserChanged: ({ data: { user_id, role, disabled, password_replaced } }) => [
      ...(role === null ? [] : [statement`UPDATE users SET role = ${role} WHERE id = ${user_id}`]),
      ...(disabled === null ? [] : [statement`UPDATE users SET disabled = ${disabled} WHERE id = ${user_id}`]),
      ...(password_replaced ? [statement`UPDATE users SET has_password = ${true} WHERE id = ${user_id}`] : []),
    ],
    UserDeleted: ({ data: { user_id } }) => [
      statement`DELETE FROM users WHERE id = ${user_id}`,
      statement`DELETE FROM sessions WHERE user_id = ${user_id}`,
      statement`DELETE FROM api_keys WHERE user_id = ${user_id}`,
    ],
    SignedIn: ({ data, recorded_at }) => {
      const { from, to } = sessionSpan(data, recorded_at)
      return [
        deleteExpired(from),
        statement`
          INSERT INTO sessions (id, user_id, created_at, expires_at)
          VALUES (${data.session_id}, ${data.user_id}, ${recorded_at}, ${to})`,
      ]
    },
    SignedOut: ({ data: { session_id } }) => [statement`DELETE FROM sessions WHERE id = ${session_id}`],
    SessionsEnded: ({ data }) => [statement`DELETE FROM sessions WHERE ${isEnded(data)}`],
    KeyMinted: ({ data: { key_id, user_id, scope, expires_at, limit }, recorded_at }) => [
      statement`
        INSERT INTO api_keys (id, user_id, scope, created_at, revoked, expires_at, project, suite)
        VALUES (${key_id}, ${user_id}, ${scope}, ${recorded_at}, ${false}, ${expires_at ?? null}, ${limit?.project ?? null}, ${limit?.suite ?? null})`,
    ],
    KeyRevoked: ({ data: { key_id } }) => [statement`UPDATE api_keys SET revoked = ${true} WHERE id = ${key_id}`],
  },
)

/** A sign-in deletes a limited number of expired sessions. */
const deleteExpired = (time: number): Statement => statement`
  DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ${time} ORDER BY expires_at, id LIMIT ${MAX_DELETED_SESSIONS})`
