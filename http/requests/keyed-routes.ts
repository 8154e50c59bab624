import type { Scope } from '../../queries/access/viewer.ts'
import { canonicalUrl } from './canonical-url.ts'

type Rules = { readonly scope?: Scope | null; readonly keyed?: true }

/**
 * Whether a key in the query takes the place of a scope. Decided by the spelling under which answers are cached: an address
 * that shares its answers with one without a key has none.
 */
export const isOpenedByKey = ({ keyed }: Rules, url: string): boolean =>
  keyed === true && /[?&]key=[^&#]/.test(canonicalUrl(url))

/** The rules of a route for the request of an address. */
export const rulesFor = <R extends Rules>(rules: R, url: string): R =>
  isOpenedByKey(rules, url) ? { ...rules, scope: null } : rules
