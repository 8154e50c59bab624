import { createHash } from 'node:crypto'

export type Cell = {
  readonly provider_id: string
  readonly prompt_id?: string | null
  readonly test_id: string
  readonly repeat: number
}

/** Returns the key that identifies a case across runs. A missing prompt id counts as an empty one. */
export const caseKey = ({ provider_id, prompt_id, test_id, repeat }: Cell): string => {
  const index = new DataView(new ArrayBuffer(4))
  index.setUint32(0, repeat, true)
  return createHash('sha256')
    .update(`${provider_id}\0${prompt_id ?? ''}\0${test_id}\0`, 'utf8')
    .update(index)
    .digest('hex')
    .slice(0, 16)
}
