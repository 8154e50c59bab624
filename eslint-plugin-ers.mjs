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

export default { meta: { name: 'ers' }, rules: { 'no-whole-body': wholeBody } }
