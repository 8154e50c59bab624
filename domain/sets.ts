import { hash } from 'node:crypto'

/** A run set: a (project, suite) pair. Runs without a project are in no set and cannot be restricted. */
export type RunSet = { readonly project: string | null; readonly suite: string | null }

/**
 * Returns a short key for a run set, whose suite may be null: 128 bits of SHA-256, however long the names are. Null for
 * a run without a project.
 */
export const setKey = ({ project, suite }: RunSet): string | null =>
  project === null ? null : hash('sha256', JSON.stringify([project, suite]), 'hex').slice(0, 32)

/**
 * The scope of a restriction or a grant: one suite, or a whole project (suite null) with all its runs, in a suite or
 * not.
 */
export type SetScope = { readonly project: string; readonly suite: string | null }

/**
 * The key of a scope's rows. For a whole project it equals the set key of the project's runs without a suite, but the
 * two are in different tables.
 */
export const scopeKey = ({ project, suite }: SetScope): string => setKey({ project, suite }) ?? ''
