import { describe, expect, it } from 'vitest'
import { clausesOf, elementsOf, sqlWords } from '../../../storage/sqlite/sql-words.ts'

describe('the words of a statement', () => {
  it.each([
    ['white space', 'SELECT  1\n\tFROM t', 'SELECT 1 FROM t'],
    ['comments', 'SELECT 1 -- one; "two"\nFROM t /* DROP TABLE t; -- */', 'SELECT 1 FROM t'],
    ['the case of words', 'select 1 From T', 'SELECT 1 FROM t'],
    ['the quotes of names', 'SELECT 1 FROM "t"', 'SELECT 1 FROM [t]'],
    ['a semicolon at the end', 'SELECT 1 FROM t;', 'SELECT 1 FROM t'],
  ])('do not depend on %s', (_, one, other) => expect(sqlWords(one)).toEqual(sqlWords(other)))

  it.each([
    ['the case of a text', "SELECT 'a'", "SELECT 'A'"],
    ['the spaces in a text', "SELECT 'a b'", "SELECT 'a  b'"],
    ['what looks like a comment in a text', "SELECT '-- a'", "SELECT '-- b'"],
    ['whether a word is a text or a name', "SELECT 'a'", 'SELECT "a"'],
    ['where a text ends', "SELECT 'a''', 'b'", "SELECT 'a', '''b'"],
  ])('depend on %s', (_, one, other) => expect(sqlWords(one)).not.toEqual(sqlWords(other)))

  it('end with the text if a comment or quote has no end', () => {
    expect(sqlWords('SELECT 1 /* FROM t')).toEqual(['select', '1'])
    expect(sqlWords("SELECT 'a'' FROM t")).toEqual(['select', "'a'' FROM t"])
  })
})

describe('the elements of a table', () => {
  const table = sqlWords(`CREATE TABLE t (
    a bigint PRIMARY KEY CHECK (a IN (1, 2)), -- one, two
    b text COLLATE NOCASE UNIQUE ON CONFLICT REPLACE,
    c text GENERATED ALWAYS AS (substr(b, 1, instr(b, ','))) VIRTUAL,
    CHECK (a > 0)
  )`)

  it('are split at their commas and nowhere else', () =>
    expect(elementsOf(table).map(([first]) => first)).toEqual(['a', 'b', 'c', 'check']))

  it('contain what the catalogue does not show', () =>
    expect(elementsOf(table).map(clausesOf)).toEqual([
      ['check ( a in ( 1 , 2 ) )'],
      ['collate nocase', 'conflict replace'],
      ["as ( substr ( b , 1 , instr ( b , ',' ) ) )"],
      ['check ( a > 0 )'],
    ]))
})
