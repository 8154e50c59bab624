import { mapped } from '../storage/sql.ts'
import { findHead } from '../storage/log/head.ts'
import type { Query } from '../storage/storage.ts'

/** How many events the log has. Takes no viewer: it only shows whether the store responds, and is never sent. */
export const findPosition: Query<number> = mapped(findHead, ({ size }) => size)
