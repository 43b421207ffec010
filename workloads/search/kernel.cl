/* Sets bit i of `found` if the word is in the text from letter i on. */
kernel void search(global const uchar *text, constant uchar *word,
                   global uint *found, uint n, uint length)
{
    uint i = get_global_id(0), k = 0;

    if (i + length > n)
        return;
    while (k < length && text[i + k] == word[k])
        k++;
    if (k == length)
        atomic_or(&found[i / 32], 1u << i % 32);
}
