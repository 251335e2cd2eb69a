// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.bouncycastle.crypto.fpe.FPEEngine;
import org.bouncycastle.crypto.fpe.FPEFF1Engine;
import org.bouncycastle.crypto.fpe.FPEFF3_1Engine;
import org.bouncycastle.crypto.params.FPEParameters;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.util.encoders.Hex;

/** Runs FF1 and FF3-1 of Bouncy Castle for bench/foreign.py, which has the protocol. */
public final class Peer {
  /** Radices up to this have values of digits and letters. */
  private static final int LETTERS = 36;

  /** Radices above this have two bytes for a symbol. */
  private static final int BYTES = 256;

  private final FPEEngine encrypt;
  private final FPEEngine decrypt;
  private final KeyParameter key;
  private final int radix;

  private Peer(String cipher, byte[] key, int radix, byte[] tweak) {
    this.key = new KeyParameter(key);
    this.radix = radix;
    this.encrypt = engine(cipher);
    this.decrypt = engine(cipher);
    FPEParameters parameters = new FPEParameters(this.key, radix, tweak);
    encrypt.init(true, parameters);
    decrypt.init(false, parameters);
  }

  private static FPEEngine engine(String cipher) {
    switch (cipher) {
      case "ff1":
        return new FPEFF1Engine();
      case "ff3-1":
        return new FPEFF3_1Engine();
      default:
        throw new IllegalArgumentException("no cipher of this name");
    }
  }

  private byte[] word(String value) {
    if (radix <= LETTERS) {
      byte[] symbols = new byte[value.length()];
      for (int at = 0; at < symbols.length; at++) {
        symbols[at] = (byte) Character.digit(value.charAt(at), LETTERS);
      }
      return symbols;
    }
    String[] numbers = value.split(" ");
    int size = radix > BYTES ? 2 : 1;
    byte[] symbols = new byte[size * numbers.length];
    for (int at = 0; at < numbers.length; at++) {
      int symbol = Integer.parseInt(numbers[at]);
      symbols[size * (at + 1) - 1] = (byte) symbol;
      if (size == 2) {
        symbols[size * at] = (byte) (symbol >> 8);
      }
    }
    return symbols;
  }

  private String text(byte[] symbols) {
    if (radix <= LETTERS) {
      char[] letters = new char[symbols.length];
      for (int at = 0; at < letters.length; at++) {
        letters[at] = Character.forDigit(symbols[at], LETTERS);
      }
      return new String(letters);
    }
    int size = radix > BYTES ? 2 : 1;
    StringJoiner numbers = new StringJoiner(" ");
    for (int at = 0; at < symbols.length; at += size) {
      int symbol = symbols[at] & 0xff;
      if (size == 2) {
        symbol = symbol << 8 | symbols[at + 1] & 0xff;
      }
      numbers.add(Integer.toString(symbol));
    }
    return numbers.toString();
  }

  private List<String> apply(FPEEngine engine, List<String> values) {
    List<String> results = new ArrayList<>(values.size());
    for (String value : values) {
      byte[] word = word(value);
      engine.processBlock(word, 0, word.length, word, 0);
      results.add(text(word));
    }
    return results;
  }

  /** Encrypts each value under a tweak of its own. */
  private List<String> each(List<String> values) {
    List<String> results = new ArrayList<>(values.size());
    int tweak = 10_000_000;
    for (String value : values) {
      byte[] own = Integer.toString(++tweak).getBytes(StandardCharsets.US_ASCII);
      encrypt.init(true, new FPEParameters(key, radix, own));
      results.addAll(apply(encrypt, List.of(value)));
    }
    return results;
  }

  /** Returns whether there is another cipher to open. */
  private boolean obey(BufferedReader lines, PrintStream out) throws IOException {
    List<String> values = new ArrayList<>();
    for (String value = lines.readLine(); !value.isEmpty(); value = lines.readLine()) {
      values.add(value);
    }
    List<String> tokens = List.of();
    List<String> back = List.of();
    for (String command = lines.readLine(); command != null; command = lines.readLine()) {
      switch (command) {
        case "encrypt":
          tokens = apply(encrypt, values);
          out.println("done");
          break;
        case "each":
          tokens = each(values);
          out.println("done");
          break;
        case "decrypt":
          back = apply(decrypt, tokens);
          out.println("done");
          break;
        case "reveal":
          back = apply(decrypt, values);
          out.println("done");
          break;
        case "tokens":
          tokens.forEach(out::println);
          break;
        case "values":
          back.forEach(out::println);
          break;
        case "open":
          return true;
        default:
          return false;
      }
      out.flush();
    }
    return false;
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16));
    for (boolean more = true; more; ) {
      String cipher = lines.readLine();
      byte[] key = Hex.decode(lines.readLine());
      int radix = Integer.parseInt(lines.readLine());
      byte[] tweak = Hex.decode(lines.readLine());
      more = new Peer(cipher, key, radix, tweak).obey(lines, out);
    }
  }
}
