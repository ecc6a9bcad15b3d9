"""Operators that ``torch`` does not have under their names, as the reference has it: only tensors, ``torch.ops`` and namespaces do."""

NAMES = frozenset(
    """
    Bool Complex ComplexImplicit Delete Float FloatImplicit Int IntImplicit ScalarImplicit __and__ __contains__ __derive_index __getitem__
    __iand__ __ilshift__ __interpolate __ior__ __irshift__ __is__ __isnot__ __ixor__ __lshift__ __not__ __or__ __range_length
    __round_to_zero_floordiv __rshift__ __upsample __upsample_bilinear __upsample_nearest __xor__ _autocast_to_full_precision
    _autocast_to_reduced_precision _batch_norm_no_update _batch_norm_with_update _batch_norm_with_update_functional _cdist_forward
    _cholesky_solve_helper _fake_quantize_learnable_per_channel_affine_backward _fake_quantize_learnable_per_tensor_affine_backward
    _foreach_copy _foreach_zero _get_tracing_state _grad_sum_to_size _has_same_storage_numel _index_put_impl _indices _infer_size _is_tracing
    _jagged_to_padded_dense_forward _linalg_eigvals _list_to_tensor _local_scalar_dense _native_batch_norm_legit_functional _ncf_unsqueeze
    _ncf_view _nnz _no_grad_embedding_renorm_ _no_grad_fill_ _no_grad_normal_ _no_grad_uniform_ _no_grad_zero_ _pack_sequence _pad_circular
    _pad_enum _padded_dense_to_jagged_forward _pdist_forward _reshape_alias _reshape_copy _set_item _size_if_not_equal _slow_conv2d_forward
    _tensor_to_list _to_copy _to_dense _unsafe_view _unwrap_optional _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_lanczos2d_aa
    _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d _values _version absolute_ adaptive_avg_pool2d
    adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d add_ addbmm_ addcdiv_ addcmul_ addmm_ addr_ alias append arctan2_ atan2_
    avg_pool2d avg_pool3d backward baddbmm_ bernoulli_ bin binary_cross_entropy bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_
    bitwise_right_shift_ bitwise_xor_ capitalize cauchy cauchy_ ccol_indices center chr clear coalesce col2im col_indices confirmed_by_owner
    contiguous copy copy_ copysign_ count cross_entropy_loss crow_indices cumprod_ cumsum_ data degrees dense_dim dict digamma_ dim div_ divide_
    divmod element_size elu elu_ elu_backward embedding_renorm endswith eq_ erfinv_ expand expand_as expandtabs exponential exponential_ extend
    fabs factorial fake_quantize_per_channel_affine_cachemask fake_quantize_per_channel_affine_cachemask_backward
    fake_quantize_per_tensor_affine_cachemask fake_quantize_per_tensor_affine_cachemask_backward fft_fft fft_fft2 fft_fftfreq fft_fftn
    fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2
    fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill_diagonal_ find flatten_dense_tensors float_power_ floor_divide_ floordiv fmod_
    format fractional_max_pool2d fractional_max_pool3d gamma gather_backward ge_ gelu gelu_ gelu_backward geometric geometric_ get glu grad
    greater_ greater_equal_ gt_ hardshrink_backward hardsigmoid hardsigmoid_ hardsigmoid_backward hardswish hardswish_ hardswish_backward
    hardtanh hardtanh_ hardtanh_backward has_torch_function hash heaviside_ hex huber_loss hypot_ igamma_ igammac_ im2col index index_add_
    index_copy_ index_fill_ index_reduce_ index_select_backward indices insert is_coalesced is_contiguous is_leaf is_non_overlapping_and_dense
    is_owner is_pinned is_scripting is_set_to isalnum isalpha isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle
    isupper item items join keys l1_loss le_ leaky_relu leaky_relu_ leaky_relu_backward len lerp_ less_ less_equal_ lgamma_ lift lift_fresh
    lift_fresh_copy linalg__powsum linalg_cholesky linalg_cholesky_ex linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig linalg_eigh
    linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve
    linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matmul linalg_matrix_exp linalg_matrix_norm
    linalg_matrix_power linalg_matrix_rank linalg_matrix_sqrth linalg_multi_dot linalg_norm linalg_pinv linalg_polar linalg_qr linalg_slogdet
    linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vander
    linalg_vecdot linalg_vector_norm linear list ljust local_value log_normal log_normal_ log_sigmoid log_sigmoid_backward log_sigmoid_forward
    logical_and_ logical_not_ logical_or_ logical_xor_ lower lstrip lt_ mH mT masked_fill_ masked_scatter_ masked_select_backward mathremainder
    matrix_H max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices max_unpool2d max_unpool3d mish mish_ mish_backward
    modf mse_loss mul_ multi_margin_loss multilabel_margin_loss multilabel_margin_loss_forward multiply_ mvlgamma_ native_dropout_backward ne_
    new_empty new_empty_strided new_full new_ones new_zeros nextafter_ nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd
    nonzero_numpy normal_ normal_functional not_equal_ numpy_T oct one_hot ord output_nr owner_name pad pad_sequence partition percentFormat
    pin_memory polygamma_ pop popitem pow_ put_ radians random_ reflection_pad1d reflection_pad2d reflection_pad3d relu6 relu6_ remainder_
    remove renorm_ repeat replace replication_pad1d replication_pad2d replication_pad3d requires_grad_ reshape_as resize resize_ resize_as
    retain_grad reverse rfind rindex rjust row_indices rpartition rrelu_with_noise rrelu_with_noise_ rsplit rstrip scaled_dot_product_attention
    scatter_ scatter_add_ scatter_reduce_ select_backward set set_ set_data setdefault sgn_ sigmoid_backward sign_ silu silu_ silu_backward size
    slice slice_backward slow_conv3d slow_conv3d_forward slow_conv_dilated2d slow_conv_dilated3d slow_conv_transpose2d slow_conv_transpose3d
    smooth_l1_loss soft_margin_loss softplus softplus_backward softshrink softshrink_backward sorted sparse_dim special_airy_ai
    special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_u
    special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_digamma special_entr special_erf special_erfc special_erfcx
    special_erfinv special_exp2 special_expit special_expm1 special_gammainc special_gammaincc special_gammaln special_hermite_polynomial_h
    special_hermite_polynomial_he special_i0 special_i0e special_i1 special_i1e special_laguerre_polynomial_l special_legendre_polynomial_p
    special_log1p special_log_ndtr special_log_softmax special_logit special_logsumexp special_modified_bessel_i0 special_modified_bessel_i1
    special_modified_bessel_k0 special_modified_bessel_k1 special_multigammaln special_ndtr special_ndtri special_polygamma special_psi
    special_round special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_sinc
    special_softmax special_spherical_bessel_j0 special_xlog1py special_xlogy special_zeta splitlines squeeze_ startswith storage_offset str
    stride strip sub_ subtract_ sum_to_size swapaxes_ swapcase swapdims_ sym_numel sym_size sym_storage_offset sym_stride t_ tanh_backward
    thnn_conv2d threshold_backward title to to_dense to_here to_mkldnn trace_backward transpose_ tril_ triu_ true_divide_ type_as
    unflatten_dense_tensors unfold uniform uniform_ unique_dim unique_dim_consecutive unsqueeze_ update upper upsample_bicubic2d
    upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d
    value_selecting_reduction_backward values view view_as warn zero zfill
    """.split()
)
