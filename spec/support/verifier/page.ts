import type { ProofCrypto } from '../../../domain/proof/crypto.ts'
import { checkFiles } from '../../../webapp/check-receipt/check-files.ts'
import { asBytes, type ProofCase } from './cases.ts'

/** The codes of the page that checks receipts, for cases of receipts. 2: it could not be checked there. */
export const pageCodes = async (cases: readonly ProofCase[], crypto: ProofCrypto): Promise<number[]> => {
  const fileOf = (text: string, name: string): File => new File([Uint8Array.from(asBytes(text))], name)
  const codes: number[] = []
  for (const { files, keys, policy } of cases) {
    const [receipt = '', document] = files
    const outcome = await checkFiles(
      {
        receipt: fileOf(receipt, 'receipt'),
        document: document === undefined ? null : fileOf(document, 'document'),
        keys: keys.join('\n'),
        policy: policy === null ? null : fileOf(policy, 'policy'),
      },
      crypto,
    )
    codes.push(outcome.ok ? 0 : outcome.code)
  }
  return codes
}
