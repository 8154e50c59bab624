import { readFileSync } from 'node:fs'

/** The Python of a page, block after block, as one program. A last expression of a block is printed, as a notebook does. */
export const programOf = (page: URL): string => {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code)
  return `import ast
blocks = ${JSON.stringify(blocks)}
names = {}
for block in blocks:
    tree = ast.parse(block)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "page", "exec"), names)
    if last is not None:
        print(eval(compile(ast.Expression(last.value), "page", "eval"), names))
print(f"{len(blocks)} blocks ran")
`
}
