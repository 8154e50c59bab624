type Rise = { readonly rise_percent: number } | null

/** From which rises on a suite needs attention; null for the usual one. */
export type Rises = { readonly cost: Rise; readonly latency: Rise }

/** As in `domain/suite-settings.ts`. */
export const USUAL_RISE = 25

export const MEASURES = [
  { key: 'cost', label: 'Cost rises by' },
  { key: 'latency', label: 'Latency rises by' },
] as const satisfies ReadonlyArray<{ readonly key: keyof Rises; readonly label: string }>
