// Rules of this project, for oxlint and for ESLint.

const WHOLE = new Set(['text', 'json', 'arrayBuffer', 'bytes', 'blob', 'formData'])

/** Calls that read a whole response, whatever its size, its type and its speed. */
const wholeBody = {
  meta: {
    type: 'problem',
    messages: {
      unbounded:
        'Read a response with cli/client/answer.ts or engine/http/read-body.ts, which bound its size and its time.',
    },
    schema: [],
  },
  create: (context) => ({
    CallExpression: (node) => {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || node.arguments.length > 0) return
      const { computed, property } = callee
      const name = computed ? property.value : property.name
      if (WHOLE.has(name)) context.report({ node, messageId: 'unbounded' })
    },
  }),
}

/** Functions of which there is one each, with the files that have them. */
const HOMES = {
  counted: 'domain/plain/counted.ts',
  isObject: 'domain/plain/is-object.ts',
  isOutOfMemory: 'runtime/threads/young-heap.ts',
  isRecord: 'domain/plain/is-object.ts',
  messageOf: 'domain/plain/message-of.ts',
  plural: 'webapp/text/format.ts',
}

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression'])

/** A second top-level function of such a name: it repeats the one, or means something else by its name. */
const oneHome = {
  meta: {
    type: 'problem',
    messages: { second: 'Import {{name}} from {{home}}, or give a function that does something else another name.' },
    schema: [],
  },
  create: (context) => {
    const check = ({ id, init, type }) => {
      const home = Object.hasOwn(HOMES, id.name ?? '') ? HOMES[id.name] : null
      const isFunction = type === 'FunctionDeclaration' || FUNCTIONS.has(init?.type)
      if (home === null || !isFunction || context.filename.replaceAll('\\', '/').endsWith(`/${home}`)) return
      context.report({ node: id, messageId: 'second', data: { name: id.name, home } })
    }
    return {
      Program: ({ body }) => {
        for (const statement of body) {
          const declaration = statement.declaration ?? statement
          if (declaration.type === 'FunctionDeclaration') check(declaration)
          if (declaration.type === 'VariableDeclaration') declaration.declarations.forEach(check)
        }
      },
    }
  },
}

export default { meta: { name: 'ers' }, rules: { 'no-whole-body': wholeBody, 'one-home': oneHome } }
