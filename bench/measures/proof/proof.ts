import type { Print } from '../../measures.ts'
import { nodes } from './nodes.ts'
import { proofs } from './proofs.ts'
import { verify } from './verify.ts'

/** All that proofs cost: nodes of the tree, proofs and receipts over HTTP, and the verification of a log. */
export const proof = async (print: Print): Promise<void> => {
  for (const [name, measure] of [
    ['Nodes of the tree', nodes],
    ['Verification of a log', verify],
    ['Proofs and receipts over HTTP', proofs],
  ] as const) {
    print(`\n${name}\n`)
    await measure(print)
  }
}
