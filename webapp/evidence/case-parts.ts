import { inject, provide, type InjectionKey } from 'vue'

/** The case among whose parts the texts below a component are looked for; null if it has none. */
type PartsCase = () => { readonly id: string; readonly case_key: string } | null
const CASE: InjectionKey<PartsCase> = Symbol()

/** Components below this one show a text that names a part of the case as that part. */
export const provideParts = (of: PartsCase): void => provide(CASE, of)
export const useParts = (): PartsCase => inject(CASE, () => null)

/** The digest of the part that a text names, if the text is exactly that; else null. */
export const partDigest = (text: string): string | null => /^part:([0-9a-f]{64})$/.exec(text)?.[1] ?? null
/** Whether a text, or a value as JSON, may name a part. */
export const namesPart = (text: string): boolean => /part:[0-9a-f]{64}/.test(text)
/** Shows a part that a text names. It is loaded when a text names one. */
export const namedPart = () => import('../components/evidence/NamedPart.vue')
