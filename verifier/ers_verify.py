#!/usr/bin/env python3
"""Verifies receipts, checkpoints, consistency proofs and exported logs of Evaluation Results.

One file, Python 3.9 or newer, standard library only, no network. It shares no code with the service: it is written from
C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy, tlog-proof, tlog-tiles, and RFC 6962, 8032 and 8785.

  ers_verify.py receipt FILE [DOCUMENT]     a receipt, and the document that it is of
  ers_verify.py checkpoint FILE             a checkpoint
  ers_verify.py consistency PROOF OLD NEW   PROOF: the answer of GET /api/v1/log/consistency; OLD, NEW: checkpoints
  ers_verify.py log DIR [--documents DIR]   what `ers log export` wrote, and documents that `ers export` wrote

Each needs --key VKEY (or a file of them, one a line) or --policy FILE. --json prints one JSON object.
Exit codes: 0 all holds; 2 nothing could be checked; 10 altered, or not of this tree; 14 a signature is wrong or by no
trusted key; 15 too few witnesses for the policy; 20 not in the format."""
import argparse, base64, datetime, hashlib, itertools, json, os, re, sys, urllib.parse, zlib
from decimal import Decimal
from functools import lru_cache, reduce

ALTERED, UNTRUSTED, UNWITNESSED, MALFORMED = 10, 14, 15, 20
MAX_RECEIPT_BYTES, MAX_HASHES, MAX_SIGNATURES, MAX_NUMBER = 256 * 1024, 63, 32, 2**53 - 1
ED25519, COSIGNATURE, ML_DSA = 1, 4, 6  # signature types of vkeys
KEY_BYTES = {ED25519: 32, COSIGNATURE: 32, ML_DSA: 1312}
# A key name has no plus and no character with the property White_Space.
NAME = '[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]+'
# Origin, size, root, extension lines (they mean nothing), an empty line, signature lines.
CHECKPOINT = re.compile('([^\n]+)\n([^\n]+)\n([^\n]+)\n(?:[^\n]+\n)*\n((?:— %s [^ \n]+\n)+)' % NAME)
RECEIPT = re.compile('c2sp.org/tlog-proof@v1\nextra ([^\n]+)\nindex ([^\n]+)\n((?:[^\n]+\n)*)\n(.*)', re.DOTALL)

class Failed(Exception):
    """Why something does not hold: the exit code and a message."""

def need(condition, code, message):
    if not condition:
        raise Failed(code, message)

def sha256(*parts):
    return hashlib.sha256(b''.join(parts)).digest()

# --- Ed25519 (RFC 8032 5.1). Points are (X, Y, Z, T) in extended homogeneous coordinates. ---

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def decode_point(data):
    """The point of 32 bytes; None unless they are its only encoding (RFC 8032 5.1.3)."""
    number = int.from_bytes(data, 'little')
    y, sign = number & (2**255 - 1), number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P

@lru_cache(maxsize=64)
def multiples(point):
    """For i from 0 to 63 the multiples 0 to 15 of 16^i times the point: a product is then 63 additions."""
    rows = []
    for _ in range(64):
        rows.append(list(itertools.accumulate([point] * 15, add, initial=(0, 1, 1, 0))))
        point = add(rows[-1][15], point)
    return rows

def times(point, factor):
    return reduce(add, (row[factor >> 4 * i & 15] for i, row in enumerate(multiples(point))))

BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))

@lru_cache(maxsize=4096)
def ed25519_verify(key, message, signature):
    """The strict check: one encoding of each value, no public key of small order, no cofactor."""
    point, s = decode_point(key), int.from_bytes(signature[32:], 'little')
    if len(signature) != 64 or point is None or s >= L or times(point, 8)[0] == 0:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % L
    x, y, z, _ = add(times(BASE, s), times((P - point[0], point[1], 1, P - point[3]), k))
    x, y = x * pow(z, -1, P) % P, y * pow(z, -1, P) % P
    return (y | (x & 1) << 255).to_bytes(32, 'little') == signature[:32]

# --- Texts: each value has one spelling ---

def text_of(data, what):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        raise Failed(MALFORMED, what + ' is not UTF-8') from None

def from_base64(text, what, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = b'?'
    good = base64.b64encode(data).decode() == text and len(data) == (length or len(data))
    need(good, MALFORMED, what + (' is not canonical base64' + (' of %d bytes' % length if length else '')))
    return data

def from_decimal(text, what):
    good = re.fullmatch('0|[1-9][0-9]{0,15}', text) and int(text) <= MAX_NUMBER
    need(good, MALFORMED, what + ' is not a canonical number')
    return int(text)

def number_text(value):
    """A number as ECMAScript and RFC 8785 3.2.2.3 write it."""
    if value and not 1e-6 <= abs(value) < 1e21:
        mantissa, exponent = repr(value).split('e')  # Infinity and NaN raise ValueError here.
        return '%se%+d' % (mantissa, int(exponent))
    text = format(Decimal(repr(value)), 'f') if value else '0'
    return text.rstrip('0').rstrip('.') if '.' in text else text

def canonical(value):
    """RFC 8785: members sorted by UTF-16 code units, no white space."""
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, list):
        return '[' + ','.join(map(canonical, value)) + ']'
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be', 'surrogatepass'))
        return '{' + ','.join(canonical(name) + ':' + canonical(value[name]) for name in names) + '}'
    return json.dumps(value, ensure_ascii=False)

def from_json(text, code, what, members):
    """The object of a canonical JSON text that has exactly these members; numbers are floats."""
    try:
        value = json.loads(text, parse_int=float, parse_float=float)
        good = canonical(value) == text
    except (ValueError, RecursionError):
        good = False
    good = good and isinstance(value, dict) and set(value) == set(members.split())
    need(good, code, what + ' is not canonical JSON of ' + members)
    return value

def is_whole(value, least=0):
    return isinstance(value, float) and value.is_integer() and least <= value <= MAX_NUMBER

def instant(seconds):
    try:
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        return time.isoformat(timespec='milliseconds') + 'Z'
    except OverflowError:
        return '%d seconds after 1970' % seconds

# --- Notes, keys, policies (C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy) ---

class Vkey:
    """A verifier key: `<name>+<key id>+<base64 of type and key>`."""

    def __init__(self, text, types, others=()):
        parts = text.split('+', 2)
        need(len(parts) == 3 and re.fullmatch(NAME, parts[0]), MALFORMED, 'a vkey is <name>+<key id>+<key>')
        data, what = from_base64(parts[2], 'the key of a vkey'), 'vkey %s: ' % parts[0]
        self.name, self.type, self.key = parts[0], data[0] if data else 0, data[1:]
        self.id = sha256(self.name.encode('utf-8', 'surrogateescape'), b'\n', data)[:4]
        good = self.type in types and len(self.key) == KEY_BYTES[self.type]
        need(good, MALFORMED, what + 'not a key of type ' + ' or '.join(map(str, types)))
        need(parts[1] == self.id.hex(), MALFORMED, what + 'the key id is not that of the key')
        need(all(self.key != other.key for other in others), MALFORMED, what + 'the key is there twice')

    def verify(self, text, signature):
        """The time of a signature of a note text in seconds (0: a log's own has none); None if it does not verify."""
        if self.type == ED25519:
            return 0 if ed25519_verify(self.key, text.encode(), signature) else None
        seconds = int.from_bytes(signature[:8], 'big')
        message = ('cosignature/v1\ntime %d\n' % seconds + text).encode()
        return seconds if seconds <= MAX_NUMBER and ed25519_verify(self.key, message, signature[8:]) else None

class Trust:
    """Trusted logs and witnesses, and the groups that make the quorum: name → (least number, members)."""

    def __init__(self, keys=(), policy=None):
        self.logs, self.witnesses, self.groups, self.grouped = [Vkey(key, (ED25519,)) for key in keys], {}, {}, set()
        self.quorum = 'none' if policy is None else None
        if policy is not None:
            need(not re.search(b'[\x00-\x08\x0b-\x1f\x7f]', policy), MALFORMED, 'the policy has a control character')
            for number, line in enumerate(policy.decode('utf-8', 'surrogateescape').split('\n'), 1):
                words = [word for word in re.split('[ \t]+', line) if word]
                if words and not words[0].startswith('#'):
                    self.read_line(words, 'line %d of the policy: ' % number)
            need(self.quorum is not None, MALFORMED, 'the policy has no quorum line')

    def read_line(self, words, where):
        kind, name, known = words[0], words[1] if len(words) > 1 else '', {'none', *self.witnesses, *self.groups}
        need(kind not in ('witness', 'group') or name not in known, MALFORMED, where + 'the name is taken')
        if kind == 'log' and len(words) in (2, 3):
            self.logs.append(Vkey(name, (ED25519,), self.logs))
        elif kind == 'witness' and len(words) in (3, 4):
            self.witnesses[name] = Vkey(words[2], (COSIGNATURE, ML_DSA), self.witnesses.values())
        elif kind == 'group' and len(words) > 3:
            members = words[3:]
            for member in members:
                need(member in known - self.grouped - {'none'}, MALFORMED, where + member + ' is unknown or taken')
                self.grouped.add(member)
            least = {'any': 1, 'all': len(members)}.get(words[2]) or from_decimal(words[2], where + words[2])
            need(1 <= least <= len(members), MALFORMED, where + 'the number is not between 1 and that of the members')
            self.groups[name] = (least, members)
        else:
            need(kind == 'quorum' and len(words) == 2, MALFORMED, where + 'not a line of a policy')
            need(self.quorum is None and name in known, MALFORMED, where + 'a second quorum, or an unknown name')
            self.quorum = name

    def is_met(self, name, signed):
        least, members = self.groups.get(name, (1, []))
        return name == 'none' or name in signed or sum(self.is_met(each, signed) for each in members) >= least

class Checkpoint:
    """A checkpoint that a trusted key signed and whose lines by trusted keys all verify. `witnesses`: name in the
    policy → key name and time; `unchecked`: key names of ML-DSA-44 cosigners, which do not count."""

    def __init__(self, note, trust):
        match = CHECKPOINT.fullmatch(note)
        good = match and not re.search('[\x00-\x09\x0b-\x1f]', note) and match[4].count('\n') <= MAX_SIGNATURES
        need(good, MALFORMED, 'a checkpoint is origin, size, root, an empty line and 1 to 32 signature lines')
        self.origin, self.size = match[1], from_decimal(match[2], 'the size of the checkpoint')
        self.root, self.witnesses, self.unchecked = from_base64(match[3], 'the root', 32), {}, []
        words = [line.split(' ') for line in match[4].split('\n')[:-1]]
        lines = [(name, from_base64(data, 'a signature')) for _, name, data in words]
        need(all(len(data) > 4 for _, data in lines), MALFORMED, 'a signature is too short')
        signed, keys = False, [(None, key) for key in trust.logs] + list(trust.witnesses.items())
        for (name, data), (label, key) in itertools.product(lines, keys):
            if (key.name, key.id) == (name, data[:4]) and key.type == ML_DSA:
                self.unchecked.append(name)
            elif (key.name, key.id) == (name, data[:4]):
                seconds = key.verify(note[:match.start(4) - 1], data[4:])
                need(seconds is not None, UNTRUSTED, 'the signature of %s is wrong' % name)
                self.witnesses.update({} if label is None else {label: (name, seconds)})
                signed = signed or (label is None and name == self.origin)
        need(signed, UNTRUSTED, 'no trusted key of %s signed the checkpoint' % self.origin)
        need(trust.is_met(trust.quorum, self.witnesses), UNWITNESSED, 'the cosignatures are too few for the policy')

    def facts(self):
        witnesses = [{'name': name, 'at': instant(seconds)} for name, seconds in self.witnesses.values()]
        return {'origin': self.origin, 'size': self.size, 'root': self.root.hex(), 'witnesses': witnesses,
                'not_checked_here': self.unchecked}

# --- The tree (RFC 6962 2.1) ---

def node(left, right):
    return sha256(b'\x01', left, right)

def split_of(size):
    """The largest power of two below the size: the leaves of the left subtree."""
    return 1 << (size - 1).bit_length() - 1

def tree_root(hashes):
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256()
    left = split_of(len(hashes))
    return node(tree_root(hashes[:left]), tree_root(hashes[left:]))

def root_of_path(index, size, leaf, path):
    """The root that the path leads to (2.1.1); None unless it has exactly the length that index and size give."""
    if size <= 1 or not path:
        return leaf if (index, size, len(path)) == (0, 1, 0) else None
    left = split_of(size)
    inner = (index, left) if index < left else (index - left, size - left)
    below = root_of_path(*inner, leaf, path[:-1])
    return below and (node(below, path[-1]) if index < left else node(path[-1], below))

def roots_of_proof(old, new, known, proof):
    """The roots of both sizes that a proof leads to (2.1.2), or None. `known`: the old root, if that of this subtree."""
    if old == new:
        hashes = ([] if known is None else [known]) + proof
        return hashes * 2 if len(hashes) == 1 else None
    left = split_of(new)
    inner = (old, left, known) if old <= left else (old - left, new - left, None)
    below = roots_of_proof(*inner, proof[:-1]) if proof else None
    if below and old > left:
        return [node(proof[-1], each) for each in below]
    return below and [below[0], node(below[1], proof[-1])]

# --- Records and receipts (C2SP tlog-proof) ---

def entry_of(commitment, recorded_at, kind):
    return canonical({'commitment': commitment.hex(), 'recorded_at': recorded_at, 'type': kind}).encode()

def record_of(body, kind):
    record = from_json(body, ALTERED, 'a body', 'actor data request_id stream version')
    stream, room = record['stream'], 'run/' if kind.startswith('Run') else 'plan/' if kind.startswith('Plan') else ''
    good = isinstance(stream, str) and isinstance(record['data'], dict) and is_whole(record['version'], 1)
    need(good and stream.startswith(room), ALTERED, 'a body is not that of a record of type ' + kind)
    return record

def check_receipt(data, trust, document=None):
    """The four steps: format, signatures, tree, body. Returns what the receipt proves."""
    match = RECEIPT.fullmatch(text_of(data, 'the receipt'))
    need(match and len(data) <= MAX_RECEIPT_BYTES, MALFORMED, 'this is not a tlog-proof with extra of at most 256 KiB')
    text = text_of(from_base64(match[1], 'extra'), 'the opening')
    opening = from_json(text, MALFORMED, 'the opening', 'body recorded_at salt type v')
    body, recorded_at, salt, kind = (opening[name] for name in ('body', 'recorded_at', 'salt', 'type'))
    good = all(isinstance(item, str) for item in (body, salt, kind)) and is_whole(recorded_at) and is_whole(opening['v'])
    good = good and opening['v'] == 1 and re.fullmatch('[0-9a-f]{32}', salt)
    need(good, MALFORMED, 'a member of the opening is malformed')
    index = from_decimal(match[2], 'the index')
    path = [from_base64(line, 'a hash', 32) for line in match[3].split('\n')[:-1]]
    need(len(path) <= MAX_HASHES, MALFORMED, 'the path has over %d hashes' % MAX_HASHES)
    checkpoint = Checkpoint(match[4], trust)
    leaf = sha256(b'\x00', entry_of(sha256(bytes.fromhex(salt), body.encode()), recorded_at, kind))
    good = root_of_path(index, checkpoint.size, leaf, path) == checkpoint.root
    need(good, ALTERED, 'the record is not in the tree of the checkpoint at this index')
    record = record_of(body, kind)
    if document is not None:
        check_document(document, record['data'], 'plan' if kind == 'PlanRegistered' else 'document')
    return {'record': index + 1, 'type': kind, 'recorded_at': instant(recorded_at / 1000), **checkpoint.facts(),
            **record, 'document': 'not given' if document is None else 'matches'}

def check_document(document, data, prefix):
    """Compares bytes, compressed or not, with the recorded length and SHA-256."""
    length, digest = data.get(prefix + '_bytes'), data.get(prefix + '_sha256')
    if document[:2] == b'\x1f\x8b' and is_whole(length):
        try:
            document = zlib.decompressobj(31).decompress(document, int(length) + 1)
        except zlib.error:
            pass  # Then these are the bytes themselves, and their digest decides.
    good = len(document) == length and hashlib.sha256(document).hexdigest() == digest
    need(good, ALTERED, 'the document has other bytes than the recorded ones, which `ers export` gives')

# --- Consistency, and a whole exported log (C2SP tlog-tiles) ---

def check_consistency(proof, old_note, new_note, trust):
    old, new = Checkpoint(old_note, trust), Checkpoint(new_note, trust)
    try:
        answer = json.loads(proof)
        sizes, hashes = (answer['from'], answer['to']), [from_base64(item, 'a hash', 32) for item in answer['proof']]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failed(MALFORMED, 'the proof is not {from, to, from_root, to_root, proof}') from None
    good = old.origin == new.origin and sizes == (old.size, new.size)
    need(good, ALTERED, 'the proof is not of the sizes of two checkpoints of one log')
    roots = roots_of_proof(old.size, new.size, old.root, hashes) if 1 <= old.size <= new.size else None
    need(roots == [old.root, new.root], ALTERED, 'size %d does not continue size %d' % (new.size, old.size))
    return {**new.facts(), 'from': old.size}

def read_part(folder, n, width):
    """A tile or bundle, and whether it is the full one that replaced the partial one of this width."""
    name = '%03d' % (n % 1000)
    while n >= 1000:
        n //= 1000
        name = 'x%03d/%s' % (n % 1000, name)
    for path in ['%s.p/%d' % (name, width)] * (width < 256) + [name]:
        if os.path.isfile(os.path.join(folder, path)):
            return read_file(os.path.join(folder, path)), path == name and width < 256
    raise Failed(ALTERED, '%s/%s is missing' % (folder, name))

def check_tile(folder, level, n, hashes=None, width=None):
    """The hashes of a tile, which must be the given ones."""
    data, is_longer = read_part(os.path.join(folder, 'tile', str(level)), n, width or len(hashes))
    found = [data[at:at + 32] for at in range(0, 32 * (width or len(hashes)), 32)]
    good = (is_longer or len(data) == 32 * len(found)) and found == (hashes or found)
    need(good, ALTERED, 'tile %d of level %d is not that of the tiles below it' % (n, level))
    return found

def check_log(folder, trust, documents=None):
    """Checks every entry, tile and body of an exported log, and the documents that are given."""
    checkpoint, bodies = Checkpoint(text_of(read_file(os.path.join(folder, 'checkpoint')), 'the checkpoint'), trust), None
    if os.path.isdir(os.path.join(folder, 'bodies')):
        bodies = Bodies()
    roots, last = [], 0
    for n in range(-(-checkpoint.size // 256)):
        width, at = min(256, checkpoint.size - 256 * n), 0
        bundle, is_longer = read_part(os.path.join(folder, 'tile', 'entries'), n, width)
        lines = read_part(os.path.join(folder, 'bodies'), n, width)[0].split(b'\n') if bodies else []
        hashes = check_tile(folder, 0, n, width=width)
        for i, leaf in enumerate(hashes):
            entry = bundle[at + 2:at + 2 + int.from_bytes(bundle[at:at + 2], 'big')]
            seq, at = 256 * n + i + 1, at + 2 + len(entry)
            need(sha256(b'\x00', entry) == leaf, ALTERED, 'record %d: the entry is not that of the leaf' % seq)
            fields = from_json(text_of(entry, 'an entry'), ALTERED, 'an entry', 'commitment recorded_at type')
            need(is_whole(fields['recorded_at'], last), ALTERED, 'record %d: the time goes back' % seq)
            last = fields['recorded_at']
            if bodies:
                bodies.read(seq, fields, lines[i] if i < len(lines) else b'')
        need(is_longer or at == len(bundle), ALTERED, 'entry bundle %d is too long' % n)
        roots.append(tree_root(hashes))
    level, full = 1, roots[:checkpoint.size // 256]
    while full:
        parts = [full[at:at + 256] for at in range(0, len(full), 256)]
        for n, part in enumerate(parts):
            check_tile(folder, level, n, part)
        level, full = level + 1, [tree_root(part) for part in parts if len(part) == 256]
    need(tree_root(roots) == checkpoint.root, ALTERED, 'the tiles do not give the root of the checkpoint')
    return {**checkpoint.facts(), **(bodies.finish(documents) if bodies else {})}

class Bodies:
    """What the bodies of a log say of one another, read in the order of the log."""

    def __init__(self):
        self.versions, self.gaps, self.missing, self.erased, self.runs = set(), [], {}, {}, []

    def read(self, seq, fields, line):
        try:
            row = json.loads(line)
            good = row is None or (row['seq'] == seq and {type(row['body']), type(row['salt'])} in ({str}, {type(None)}))
            salt = bytes.fromhex(row['salt']) if row and row['salt'] else b''
        except (ValueError, KeyError, TypeError, RecursionError):
            good = False
        need(good, ALTERED, 'record %d: not a line of a body bundle' % seq)
        if row is None or row['body'] is None:
            self.missing[seq] = fields['type']
            return
        good = sha256(salt, row['body'].encode()).hex() == fields['commitment']
        need(good, ALTERED, 'record %d: the body is not that of the commitment' % seq)
        record = record_of(row['body'], fields['type'])
        if fields['type'] == 'EventErased':
            self.erased[record['data'].get('seq')] = (seq, record['data'].get('kept'))
        self.place(seq, fields['type'], record)

    def place(self, seq, kind, record):
        stream, version = record['stream'], record['version']
        need((stream, version) not in self.versions, ALTERED, 'record %d: this version is there twice' % seq)
        if version > 1 and (stream, version - 1) not in self.versions:
            self.gaps.append((seq, stream, version - 1))
        self.versions.add((stream, version))
        if stream.startswith('run/'):
            self.runs.append((seq, kind, stream, record['data']))

    def finish(self, documents):
        """The checks that need the whole log; returns the counts."""
        need(set(self.missing) == set(self.erased) and 'EventErased' not in self.missing.values(), ALTERED,
             'the bodies that are missing are not those that were erased')
        unnamed = [seq for seq, (_, kept) in self.erased.items() if kept is None]
        for seq, (_, kept) in self.erased.items():
            if kept is not None:
                self.place(seq, self.missing[seq], kept)
        for seq, stream, version in self.gaps:
            good = (stream, version) in self.versions or (unnamed and min(unnamed) < seq)
            need(good, ALTERED, 'record %d: version %d of %s is missing' % (seq, version, stream))
        standing, checked = {}, 0
        for _, kind, stream, data in sorted(self.runs, key=lambda run: run[0]):
            standing.pop(stream, None)
            if kind == 'RunIngested':
                standing[stream] = data
        for stream, data in standing.items() if documents else ():
            name = re.sub('^[.]', '%2E', stream[4:])
            if len(name) > 200:
                name = name[:167] + '~' + hashlib.sha256(urllib.parse.unquote(stream[4:]).encode()).hexdigest()[:32]
            for path in [os.path.join(documents, name + end) for end in ('.json', '.json.gz')]:
                if os.path.isfile(path):
                    check_document(read_file(path), data, 'document')
                    checked += 1
        return {'bodies': len(self.versions) - len(self.erased) + len(unnamed), 'erased': len(self.erased),
                'runs': len(standing), 'documents': checked}

# --- The command ---

COMMANDS = {
    'receipt': lambda trust, _, file, document=None: check_receipt(file, trust, document),
    'checkpoint': lambda trust, _, file: Checkpoint(text_of(file, 'the checkpoint'), trust).facts(),
    'consistency': lambda trust, _, proof, *notes: check_consistency(
        proof, *(text_of(note, 'the checkpoint') for note in notes), trust),
    'log': lambda trust, documents, folder: check_log(folder, trust, documents)}
COUNTS = {'receipt': (1, 2), 'checkpoint': (1,), 'consistency': (3,), 'log': (1,)}

def read_file(path):
    with open(path, 'rb') as file:
        return file.read()

def trust_of(keys, policy):
    lines = []
    for key in keys:
        lines += text_of(read_file(key), 'the key file').split('\n') if os.path.isfile(key) else [key]
    return Trust([line.strip() for line in lines if line.strip()], read_file(policy) if policy else None)

def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=COMMANDS)
    parser.add_argument('paths', nargs='*')
    parser.add_argument('--key', action='append', default=[])
    for name in ('--policy', '--documents'):
        parser.add_argument(name)
    parser.add_argument('--json', action='store_true')
    options = parser.parse_intermixed_args(arguments)
    if len(options.paths) not in COUNTS[options.command] or not (options.key or options.policy):
        parser.error('%s needs its files, and --key or --policy' % options.command)
    try:
        trust = trust_of(options.key, options.policy)
        inputs = options.paths if options.command == 'log' else [read_file(path) for path in options.paths]
        code, facts = 0, COMMANDS[options.command](trust, options.documents, *inputs)
    except (Failed, OSError) as error:
        code, message = error.args if isinstance(error, Failed) else (2, str(error))
        facts = {'message': message}
    facts = {'ok': code == 0, 'code': code, **facts}
    print(json.dumps(facts, ensure_ascii=False) if options.json else '\n'.join('%s: %s' % item for item in facts.items()))
    return code

if __name__ == '__main__':
    sys.exit(main())
