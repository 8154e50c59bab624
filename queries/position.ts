import { mapped } from '../storage/sql.ts'
import { findHead } from '../storage/log/head.ts'
import type { Query } from '../storage/storage.ts'

/** How many events the log holds. Takes no viewer: it tells whether the store answers, and is never shown. */
export const findPosition: Query<number> = mapped(findHead, ({ size }) => size)
