import { hash } from 'node:crypto'

/** A run set: a (project, suite) pair. Runs without a project are in none and can never be restricted. */
export type RunSet = { readonly project: string | null; readonly suite: string | null }

/**
 * One short value per run set, a null suite included (128 bits of SHA-256, however long the names); null for a run
 * without a project.
 */
export const setKey = ({ project, suite }: RunSet): string | null =>
  project === null ? null : hash('sha256', JSON.stringify([project, suite]), 'hex').slice(0, 32)

/**
 * What a restriction or a grant covers: a whole project (suite null) with every suite and runs of none, or one suite.
 */
export type SetScope = { readonly project: string; readonly suite: string | null }

/** The key of a scope's rows. A project's is that of its runs without a suite, in tables of its own. */
export const scopeKey = ({ project, suite }: SetScope): string => setKey({ project, suite }) ?? ''
