#!/usr/bin/env python3
"""Verifies receipts, checkpoints, consistency proofs and exported logs of Evaluation Results.

One file, Python 3.9 or newer, standard library only, no network. It shares no code with the service: it is written from
C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy, tlog-proof, tlog-tiles, and RFC 6962, 8032 and 8785.

  ers_verify.py receipt FILE [DOCUMENT]     a receipt, and the document that it is of
    [--manifest FILE [--parts DIR] [--part FILE] [--partial]]   and the evidence that its record names
  ers_verify.py checkpoint FILE             a checkpoint
  ers_verify.py consistency PROOF OLD NEW   PROOF: the answer of GET /api/v1/log/consistency; OLD, NEW: checkpoints
  ers_verify.py log DIR [--documents DIR]   what `ers log export` wrote, and documents that `ers export` wrote

Each needs --key VKEY (or a file of them, one a line) or --policy FILE. --json prints one JSON object.
Exit codes: 0 good; 2 not checked; 10 altered; 12 parts missing; 14 not signed by a trusted key; 15 too few witnesses; 20 not readable."""
import argparse, base64, datetime, decimal, functools, hashlib, itertools, json, os, re, sys, urllib.parse, zlib
from pathlib import Path
ALTERED, MISSING, UNTRUSTED, UNWITNESSED, MALFORMED = 10, 12, 14, 15, 20
RESULTS = {0: 'good', 2: 'not checked', 10: 'altered', 12: 'parts missing', 14: 'not trusted', 15: 'not witnessed', 20: 'not readable'}
MAX_RECEIPT_BYTES, MAX_NUMBER, MAX_PART_BYTES = 256 * 1024, 2**53 - 1, 5 * 2**30
ED25519, COSIGNATURE, ML_DSA, KEY_BYTES = 1, 4, 6, {1: 32, 4: 32, 6: 1312}  # signature types of vkeys
NAME = '[^\0- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]+'  # No control, White_Space of Unicode, plus.
# Origin, size, root, extension lines (they mean nothing), an empty line, signature lines.
CHECKPOINT = re.compile('([^\n]+)\n([^\n]+)\n([^\n]+)\n(?:[^\n]+\n)*\n((?:— %s [A-Za-z0-9+/]{7,}=*\n){1,64})' % NAME)
ENTRY = re.compile('{"commitment":"([0-9a-f]{64})","recorded_at":(0|[1-9][0-9]{0,15}),"type":"([A-Za-z]+)"}')
RECEIPT = re.compile('c2sp[.]org/tlog-proof@v1\nextra ([^\n]+)\nindex ([^\n]+)\n((?:[^\n]+\n){0,63})\n(.*)', re.DOTALL)
# Types that are of one kind of stream, and how their members about a document begin; other types may be of any stream.
TYPES = {'RunIngested': ('run', 'document'), 'RunDeleted': ('run', None), 'PlanRegistered': ('plan', 'plan'),
         'PlanRevealed': ('plan', None), 'PlanWithdrawn': ('plan', None)}
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
def decode_point(data):  # None unless the 32 bytes are the only encoding of a point (RFC 8032 5.1.3).
    sign, y = divmod(int.from_bytes(data, 'little'), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P
@functools.lru_cache(maxsize=64)
def multiples(point):  # For i from 0 to 63 the multiples 0 to 15 of 16^i times it: a product is then 63 additions.
    rows = []
    for _ in range(64):
        rows.append(list(itertools.accumulate([point] * 15, add, initial=(0, 1, 1, 0))))
        point = add(rows[-1][15], point)
    return rows
def times(point, factor):
    return functools.reduce(add, (row[factor >> 4 * i & 15] for i, row in enumerate(multiples(point))))
BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))
@functools.lru_cache(maxsize=4096)
def ed25519_verify(key, message, signature):  # Strict: one encoding of each value, no small order, no cofactor.
    point, s = decode_point(key), int.from_bytes(signature[32:], 'little')
    if len(signature) != 64 or point is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % L
    r = add(times(BASE, s), times((P - point[0], point[1], 1, P - point[3]), k))
    x, y = (value * pow(r[2], -1, P) % P for value in r[:2])
    is_small = any(functools.reduce(lambda p, _: add(p, p), range(3), each)[0] == 0 for each in (point, r))
    return not is_small and (y | (x & 1) << 255).to_bytes(32, 'little') == signature[:32]
# --- Texts: each value has one spelling ---
def from_base64(text, what, length=None):
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text and length in (None, len(data)), MALFORMED, what + ' is not base64')
    return data
def from_decimal(text, what):
    need(re.fullmatch('0|[1-9][0-9]{0,15}', text) and int(text) <= MAX_NUMBER, MALFORMED, what + ' is not a number')
    return int(text)
def number_text(value):  # As ECMAScript and RFC 8785 3.2.2.3 write a number.
    if value and not 1e-6 <= abs(value) < 1e21:
        mantissa, exponent = repr(value).split('e')  # Infinity and NaN raise ValueError here.
        return '%se%+d' % (mantissa, int(exponent))
    return format(decimal.Decimal(repr(value)), 'f').removesuffix('.0') if value else '0'
def canonical(value, levels=64):  # RFC 8785: members sorted by UTF-16 code units, no white space.
    if isinstance(value, (list, dict)) and not levels:
        raise ValueError('nested too deep')
    if isinstance(value, list):
        return '[' + ','.join(canonical(item, levels - 1) for item in value) + ']'
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be', 'surrogatepass'))
        return '{' + ','.join(canonical(name) + ':' + canonical(value[name], levels - 1) for name in names) + '}'
    return number_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
def printable(text):  # ASCII, with escapes as in JSON: recorded texts can neither break a line nor control a terminal.
    escape = lambda found: re.sub('....', r'\\u\g<0>', found[0].encode('utf-16-be', 'surrogatepass').hex())
    return re.sub('[^ -~]', escape, text)
def from_json(text, code, what, members):  # An object with exactly these members; numbers are floats.
    try:
        value = json.loads(text, parse_int=float, parse_float=float)
        good = canonical(value) == text
    except (ValueError, RecursionError):
        good = False
    need(good and isinstance(value, dict) and set(value) == set(members.split()), code, what + ' is not canonical JSON')
    return value
def is_whole(value, least=0):
    return isinstance(value, float) and value.is_integer() and least <= value <= MAX_NUMBER
def instant(seconds):
    time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=min(round(seconds * 1000), 253402300799999))
    return time.isoformat(timespec='milliseconds') + 'Z' if seconds < 253402300800 else '%d s since 1970' % seconds
# --- Notes, keys, policies (C2SP signed-note, tlog-checkpoint, tlog-cosignature, tlog-policy) ---
class Vkey:  # A verifier key: `<name>+<key id>+<base64 of type and key>`.
    def __init__(self, text, types, others=()):
        parts = text.split('+', 2)
        need(len(parts) == 3 and re.fullmatch(NAME, parts[0]), MALFORMED, 'a vkey is <name>+<key id>+<key>')
        data, what = from_base64(parts[2], 'the key of a vkey'), 'vkey %s: ' % parts[0]
        self.name, self.type, self.key = parts[0], data[0] if data else 0, data[1:]
        self.id = sha256(self.name.encode(), b'\n', data)[:4]
        need(self.type in types and len(self.key) == KEY_BYTES[self.type], MALFORMED, what + 'not of a fitting type')
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
    def __init__(self, keys, policy=b'quorum none'):
        self.keys, self.logs, self.witnesses = [Vkey(key, KEY_BYTES) for key in keys], [], {}
        self.groups, self.grouped, self.quorum = {}, set(), None
        good = not re.search(b'[\0-\x08\x0b-\x1f\x7f]', policy) and policy.count(b'\n') < 4096 and len(policy) < 2**24
        need(good, MALFORMED, 'the policy has a control character, or over 4096 lines')
        for number, line in enumerate(policy.decode('utf-8', 'surrogateescape').split('\n'), 1):
            words = [word for word in re.split('[ \t]+', line) if word]
            if words and not words[0].startswith('#'):
                self.read_line(words, 'line %d of the policy: ' % number)
        need(self.quorum is not None, MALFORMED, 'the policy has no quorum line')
    def read_line(self, words, where):
        kind, name, known = words[0], words[1] if len(words) > 1 else '', {'none', *self.witnesses, *self.groups}
        need(kind not in ('witness', 'group') or name not in known, MALFORMED, where + 'the name is taken')
        if kind == 'log' and len(words) in (2, 3):
            self.logs.append(Vkey(name, (ED25519, ML_DSA), self.logs))
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
    def is_met(self, signed):
        met = {'none', *signed}
        for name, (least, members) in self.groups.items():  # They name only what stands before them.
            met.update({name} if len(met.intersection(members)) >= least else ())
        return self.quorum in met
class Checkpoint:
    """A checkpoint that a trusted key signed and whose lines by trusted keys all verify. `witnesses`: name in the
    policy → key name, id, time. No time, or the log's own name: none. `unchecked`: names of ML-DSA-44 cosigners."""
    def __init__(self, note, trust):
        match = CHECKPOINT.fullmatch(note)
        need(match and not re.search('[\0-\x09\x0b-\x1f]', note), MALFORMED, 'no checkpoint of 1 to 64 signature lines')
        self.origin, self.size = match[1], from_decimal(match[2], 'the size of the checkpoint')
        self.root, self.witnesses, self.unchecked = from_base64(match[3], 'the root', 32), {}, []
        lines = [(name, from_base64(data, 'a signature')) for name, data in re.findall('([^ ]+) ([^ \n]+)\n', match[4])]
        logs = trust.keys + [key for key in trust.logs if key.type == ED25519]
        signed, keys = False, [(key.name != self.origin and (key.name, key.id), key) for key in logs]
        for (name, data), (label, key) in itertools.product(lines, keys + list(trust.witnesses.items())):
            if (key.name, key.id) == (name, data[:4]) and key.type == ML_DSA:
                self.unchecked += [name] if label and name not in self.unchecked else []
            elif (key.name, key.id) == (name, data[:4]):
                at = key.verify(note[:match.start(4) - 1], data[4:])
                need(at is not None, UNTRUSTED, 'the signature of %s is wrong' % name)
                if at and label:
                    self.witnesses[label] = max(self.witnesses.get(label, ()), (name, key.id, at))
                signed = signed or (key.type == ED25519 and name == self.origin)
        need(signed, UNTRUSTED, 'no trusted key of %s signed the checkpoint' % self.origin)
        need(trust.is_met(self.witnesses), UNWITNESSED, 'too few witnesses of the policy have signed')
    def facts(self):
        return {'origin': self.origin, 'size': self.size, 'root': self.root.hex(), 'not_checked_here': self.unchecked,
                'witnesses': [{'name': by, 'at': instant(at)} for by, _, at in dict.fromkeys(self.witnesses.values())]}
# --- The tree (RFC 6962 2.1) ---
def split_of(size):  # The leaves of the left subtree: the largest power of two below the size.
    return 1 << (size - 1).bit_length() - 1
def tree_root(hashes):
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256()
    left = split_of(len(hashes))
    return sha256(b'\1', tree_root(hashes[:left]), tree_root(hashes[left:]))
def root_of_path(index, size, leaf, path):
    """The root that the path leads to (2.1.1); None unless it has exactly the length that index and size give."""
    if size <= 1 or not path:
        return leaf if (index, size, len(path)) == (0, 1, 0) else None
    left = split_of(size)
    inner = (index, left) if index < left else (index - left, size - left)
    below = root_of_path(*inner, leaf, path[:-1])
    return below and (sha256(b'\1', below, path[-1]) if index < left else sha256(b'\1', path[-1], below))
def roots_of_proof(old, new, known, proof):
    """The roots of both sizes that a proof leads to (2.1.2), or None. `known`: the old root, if of this subtree."""
    if old == new:
        hashes = ([] if known is None else [known]) + proof
        return hashes * 2 if len(hashes) == 1 else None
    left = split_of(new)
    inner = (old, left, known) if old <= left else (old - left, new - left, None)
    below = roots_of_proof(*inner, proof[:-1]) if proof else None
    if not below or old <= left:
        return below and [below[0], sha256(b'\1', below[1], proof[-1])]
    return [sha256(b'\1', proof[-1], root) for root in below]
# --- Records and receipts (C2SP tlog-proof) ---
def record_of(body, kind):
    record = from_json(body, ALTERED, 'a body', 'actor data request_id stream version')
    actor, data, request_id, stream, version = (record[name] for name in sorted(record))
    good = isinstance(actor, dict) and isinstance(data, dict) and isinstance(request_id, (str, type(None)))
    need(good and isinstance(stream, str) and is_whole(version, 1), ALTERED, 'a body is not that of an event')
    (room, _, part), (expected, prefix) = stream.partition('/'), TYPES.get(kind, (None, None))
    is_id = part and urllib.parse.quote(urllib.parse.unquote(part), "!~*'()") == part  # As encodeURIComponent escapes.
    good = (is_id or room not in ('run', 'plan')) and expected in (None, room)
    if prefix:
        size, sha = (data.get(prefix + name, '') for name in ('_bytes', '_sha256'))
        good = good and (is_whole(size) or size is None and room == 'plan') and re.fullmatch('[0-9a-f]{64}', str(sha))
    need(good, ALTERED, 'a body is not that of a record of type ' + kind)
    return record
def check_receipt(data, trust, document=None):  # Format, signatures, tree, body. Returns what it proves.
    first, good = re.match(b'(\xef\xbb\xbf)?c2sp[.]org/tlog-proof@v1(\r?)\n', data), len(data) <= MAX_RECEIPT_BYTES
    need(first and good, MALFORMED, 'not a receipt: its first line is not c2sp.org/tlog-proof@v1, or over 256 KiB')
    match = RECEIPT.fullmatch(data.decode())
    need(match, MALFORMED, 'changed on its way (line ends or BOM): get it again' if first[1] or first[2] else 'broken')
    text = from_base64(match[1], 'extra').decode()
    opening = from_json(text, MALFORMED, 'the opening', 'body recorded_at salt type v')
    body, recorded_at, salt, kind, v = (opening[name] for name in ('body', 'recorded_at', 'salt', 'type', 'v'))
    good = all(isinstance(item, str) for item in (body, salt, kind)) and is_whole(recorded_at) and is_whole(v, 1)
    need(good and v == 1 and re.fullmatch('[0-9a-f]{32}', salt), MALFORMED, 'a member of the opening is malformed')
    index = from_decimal(match[2], 'the index')
    path = [from_base64(line, 'a hash', 32) for line in match[3].split('\n')[:-1]]
    checkpoint = Checkpoint(match[4], trust)
    commitment = sha256(bytes.fromhex(salt), body.encode()).hex()
    leaf = sha256(b'\0', canonical({'commitment': commitment, 'recorded_at': recorded_at, 'type': kind}).encode())
    need(root_of_path(index, checkpoint.size, leaf, path) == checkpoint.root, ALTERED, 'no such record is in the tree')
    record = record_of(body, kind)
    if document is not None:
        check_document(document, record['data'], kind)
    return {'record': index + 1, 'type': kind, 'recorded_at': instant(recorded_at / 1000), **checkpoint.facts(),
            **record, 'document': 'not given' if document is None else 'matches'}
def check_document(file, data, kind):
    """Compares a file, compressed or not, with the recorded length (None: only the digest is known) and SHA-256."""
    prefix = TYPES.get(kind, (None, None))[1]
    need(prefix, ALTERED, 'a record of type %s is not about a document' % kind)
    size, digest = (data.get(prefix + name) for name in ('_bytes', '_sha256'))
    found, count = hashlib.sha256(), 0
    for part in contents_of(file):
        found.update(part)
        count += len(part)
        need(size is None or count <= size, ALTERED, 'the document is longer than the recorded one')
    need(size in (None, count) and found.hexdigest() == digest, ALTERED, 'other bytes than recorded: see `ers export`')
def contents_of(file):  # In parts, decompressed. Members of gzip may follow each other (RFC 1952), nothing else may.
    rest = file.read(8192)
    stream = zlib.decompressobj(31) if rest[:2] == b'\x1f\x8b' else None
    while rest:
        stream = zlib.decompressobj(31) if stream and stream.eof else stream
        yield stream.decompress(rest, 2**20) if stream else rest
        rest = stream and (stream.unconsumed_tail or stream.unused_data) or file.read(8192)
    need(not stream or stream.eof, ALTERED, 'the document is damaged gzip')
# --- Evidence: a manifest and its parts ---
def measure(path):  # The SHA-256 and the bytes of a file.
    found, count = hashlib.sha256(), 0
    with open(path, 'rb') as file:
        for part in iter(lambda: file.read(2**20), b''):
            found.update(part)
            count += len(part)
    return found.hexdigest(), count
def parts_of(data):  # The parts of a manifest with their bytes.
    manifest, parts = json.loads(data.decode(), parse_int=float, parse_constant=int), {}  # NaN is no JSON.
    good = isinstance(manifest, dict) and manifest.get('evidence') == 1 and manifest['evidence'] is not True
    need(good and isinstance(manifest.get('parts'), list), MALFORMED, 'not a manifest')
    for at, entry in enumerate(manifest['parts']):
        digest, size, role, key = (entry.get(name) for name in ('sha256', 'bytes', 'role', 'case_key'))
        good = isinstance(digest, str) and re.fullmatch('[0-9a-f]{64}', digest) and is_whole(size) and size <= MAX_PART_BYTES
        good = good and role in ('original', 'transcript', 'input', 'output', 'grading', 'other')
        good = good and isinstance(key, (str, type(None))) and (key is None) == (role == 'original')
        need(good and parts.get(digest, size) == size, MALFORMED, 'not a manifest: its entry %d' % at)
        parts[digest] = size
    return parts
def check_evidence(record, manifest, folder=None, files=(), is_partial=False):
    """A manifest must be the recorded one, and parts those that it names. Returns how many were checked."""
    said = {'EvidenceAttached': record['data'], 'RunIngested': record['data'].get('evidence')}.get(record['type'])
    need(isinstance(said, dict), ALTERED, 'the record names no evidence')
    recorded = said.get('manifest_sha256'), said.get('manifest_bytes')
    need(measure(manifest) == recorded, ALTERED, 'the manifest is not the recorded one')
    listed = parts_of(Path(manifest).read_bytes())
    checked, missing = set(), []
    for path in files:
        digest, size = measure(path)
        need(listed.get(digest) == size, ALTERED, '%s is no part of the manifest' % path)
        checked.add(digest)
    for digest in [each for each in listed if each not in checked]:
        places = [Path(folder) / digest[:2] / digest, Path(folder) / digest] if folder else []
        path = next(filter(Path.is_file, places), None)
        if path is None:
            missing.append(digest)
            continue
        need(measure(path) == (digest, listed[digest]), ALTERED, '%s is not the recorded part' % path)
        checked.add(digest)
    text = '%d of %d parts are missing: %s' % (len(missing), len(listed), ', '.join(missing[:10]))
    need(not missing or is_partial, MISSING, text)
    return {'parts': {'checked': len(checked), 'of': len(listed)}}
# --- Consistency, and a whole exported log (C2SP tlog-tiles) ---
def check_growth(proof, old_note, new_note, trust):
    old, new = Checkpoint(old_note.decode(), trust), Checkpoint(new_note.decode(), trust)
    answer = json.loads(proof.decode())
    hashes = [from_base64(item, 'a hash', 32) for item in answer['proof']]
    said = [from_base64(answer[end + '_root'], 'a root', 32) for end in ('from', 'to')] + [answer['from'], answer['to']]
    good = old.origin == new.origin and said == [old.root, new.root, old.size, new.size]
    need(good, ALTERED, 'the proof is not of these two checkpoints, or they are not of one log')
    roots = roots_of_proof(old.size, new.size, old.root, hashes) if 1 <= old.size <= new.size else None
    need(roots == [old.root, new.root], ALTERED, 'size %d does not continue size %d' % (new.size, old.size))
    return {**new.facts(), 'from': old.size}
def read_part(folder, n, width):  # A tile or bundle, and whether it is the full one in place of this partial one.
    name = re.sub('(...)(?=.)', r'x\1/', str(n).zfill(-(-len(str(n)) // 3) * 3))  # 1234067 is x001/x234/067
    part = folder / ('%s.p/%d' % (name, width))
    is_longer = width < 256 and not part.is_file()
    path = folder / name if width == 256 or is_longer else part
    need(path.is_file(), ALTERED, '%s is missing' % path)
    return path.read_bytes(), is_longer
def check_tile(folder, level, n, hashes=None, width=None):  # The hashes of a tile: these, or so many.
    data, is_longer = read_part(folder / 'tile' / str(level), n, width or len(hashes))
    found = [data[at:at + 32] for at in range(0, 32 * (width or len(hashes)), 32)]
    good = (is_longer or len(data) == 32 * len(found)) and found == (hashes or found)
    need(good, ALTERED, 'tile %d of level %d is not that of the tiles below it' % (n, level))
    return found
def check_log(folder, trust, documents=None):
    """Checks every entry and tile of an exported log, its bodies if it has them, and the documents that are given."""
    checkpoint = Checkpoint((folder / 'checkpoint').read_bytes().decode(), trust)
    roots, last, rows, has_bodies = [], 0, [], (folder / 'bodies').is_dir()
    for n in range(-(-checkpoint.size // 256)):
        width, at = min(256, checkpoint.size - 256 * n), 0
        bundle, is_longer = read_part(folder / 'tile' / 'entries', n, width)
        bodies = read_part(folder / 'bodies', n, width)[0].split(b'\n') if has_bodies else []
        good = not has_bodies or len(bodies) in (width + 1, 257) and not bodies[-1]
        need(good, ALTERED, 'body bundle %d has not a line for each record' % n)
        hashes = check_tile(folder, 0, n, width=width)
        for seq, leaf in enumerate(hashes, 256 * n + 1):
            entry = bundle[at + 2:at + 2 + int.from_bytes(bundle[at:at + 2], 'big')]
            at += 2 + len(entry)
            need(sha256(b'\x00', entry) == leaf, ALTERED, 'record %d: the entry is not that of the leaf' % seq)
            match = ENTRY.fullmatch(entry.decode())
            need(match and int(match[2]) >= last, ALTERED, 'record %d: not an entry, or its time goes back' % seq)
            last = int(match[2])
            if has_bodies:
                rows.append((seq, match[3], *body_of(seq, match[1], match[3], bodies[seq - 256 * n - 1])))
        need(is_longer or at == len(bundle), ALTERED, 'entry bundle %d is too long' % n)
        roots.append(tree_root(hashes))
    level, full = 1, roots[:checkpoint.size // 256]
    while full:
        parts = [full[at:at + 256] for at in range(0, len(full), 256)]
        for n, part in enumerate(parts):
            check_tile(folder, level, n, part)
        level, full = level + 1, [tree_root(part) for part in parts if len(part) == 256]
    need(tree_root(roots) == checkpoint.root, ALTERED, 'the tiles do not give the root of the checkpoint')
    return {**checkpoint.facts(), **(check_bodies(rows, documents) if has_bodies else {})}
def body_of(seq, commitment, kind, line):  # Stream, version, data (of runs and erasures) of a line; all None if erased.
    row = json.loads(line) or {'seq': seq, 'salt': None, 'body': None}
    if row['body'] is None:
        return None, None, None
    good = row['seq'] == seq and sha256(bytes.fromhex(row['salt']), row['body'].encode()).hex() == commitment
    need(good, ALTERED, 'record %d: the body is not that of the commitment' % seq)
    record = record_of(row['body'], kind)
    is_used = record['stream'].startswith(('run/', 'erasure/'))
    return record['stream'], record['version'], record['data'] if is_used else None
def check_bodies(rows, documents):
    """Missing bodies are the erased ones, versions are dense, documents have their digests. Returns the counts."""
    erased = {data['seq']: data['kept'] for _, kind, stream, _, data in rows if stream and kind == 'EventErased'}
    missing = {seq: kind for seq, kind, stream, _, _ in rows if not stream}
    need(missing.keys() == erased.keys() and 'EventErased' not in missing.values(), ALTERED, 'other bodies are erased')
    standing, versions, checked = {}, {}, 0 if documents else 'not given'
    unnamed = min((seq for seq, kept in erased.items() if kept is None), default=len(rows))
    for seq, kind, stream, version, data in [row for row in rows if row[2] or erased[row[0]] is not None]:
        if not stream:
            stream, version, data = (erased[seq][name] for name in ('stream', 'version', 'data'))
        last = versions.get(stream, 0)
        good = version == last + 1 or version > last and unnamed < seq
        need(good, ALTERED, 'record %d: version %d of %s follows version %d' % (seq, version, stream, last))
        versions[stream] = version
        standing.pop(stream, None)
        standing.update({stream: data} if kind == 'RunIngested' else {})
    for stream, data in standing.items() if documents else ():
        name = re.sub('^[.]', '%2E', stream[4:])
        if len(name) > 200:
            name = name[:167] + '~' + sha256(urllib.parse.unquote(stream[4:]).encode()).hex()[:32]
        for path in filter(Path.is_file, (documents / (name + '.json'), documents / (name + '.json.gz'))):
            check_document(path.open('rb'), data, 'RunIngested')
            checked += 1
    return {'bodies': len(rows) - len(erased), 'erased': len(erased), 'runs': len(standing), 'documents': checked}
# --- The command ---
def verdict(check, *inputs):  # The exit code of a check, and the facts that it returns or why it fails.
    try:
        return 0, check(*inputs)
    except Failed as error:
        return error.args[0], {'message': error.args[1]}
    except OSError as error:
        name = 'a private key, given as a file,' if 'PRIVATE+KEY' in str(error.filename) else str(error.filename)
        return 2, {'message': '%s %s' % (name, 'cannot be read' if os.path.exists(name) else 'does not exist')}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError, zlib.error) as error:
        return ALTERED if isinstance(error, zlib.error) else MALFORMED, {'message': 'not in the format (%s)' % error}
def read(path):  # What is longer than 16 MiB is cut, and refused for that.
    with open(path, 'rb') as file:
        return file.read(2**24)
def read_keys(given):  # A vkey, or a file with one on each line. A private key is no path.
    if '+' in given and ('PRIVATE+KEY+' in given or not os.path.exists(given)):
        return [given]
    lines = [line.strip(' \t\r') for line in read(given).decode().split('\n')]
    need(any(lines), MALFORMED, given + ' has no verifier key')
    return filter(None, lines)
def run(command, paths, keys, policy, documents, evidence=()):
    trust = Trust([line for key in keys for line in read_keys(key)], *([read(policy)] if policy else []))
    if command == 'log':
        return check_log(Path(paths[0]), trust, Path(documents) if documents else None)
    if command == 'receipt':
        facts = check_receipt(read(paths[0]), trust, *[open(path, 'rb') for path in paths[1:]])
        return {**facts, **(check_evidence(facts, *evidence) if evidence else {})}
    return check_growth(*map(read, paths), trust) if paths[1:] else Checkpoint(read(paths[0]).decode(), trust).facts()
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command', choices=('receipt', 'checkpoint', 'consistency', 'log'))
    parser.add_argument('paths', nargs='*')
    for name, action in (('--key', 'append'), ('--policy', None), ('--documents', None), ('--json', 'store_true'),
                         ('--manifest', None), ('--parts', None), ('--part', 'append'), ('--partial', 'store_true')):
        parser.add_argument(name, action=action)
    given = parser.parse_intermixed_args()
    counts = {'receipt': (1, 2), 'consistency': (3,)}.get(given.command, (1,))
    if len(given.paths) not in counts or not (given.key or given.policy):
        parser.error('%s needs its files, and --key or --policy' % given.command)
    if given.manifest is None and (given.parts or given.part or given.partial) or given.manifest and given.command != 'receipt':
        parser.error('--parts, --part and --partial need --manifest, and that needs a receipt')
    evidence = (given.manifest, given.parts, given.part or (), given.partial) if given.manifest else ()
    code, facts = verdict(run, given.command, given.paths, given.key or [], given.policy, given.documents, evidence)
    facts = {'ok': code == 0, 'code': code, **facts}
    lines = ['%s: %s' % (name, value if isinstance(value, str) else canonical(value)) for name, value in facts.items()]
    print('\n'.join(map(printable, [canonical(facts)] if given.json else [RESULTS[code], *lines])))
    return code
if __name__ == '__main__':
    sys.exit(main())
